import type * as z from "zod";
import type { unsubscribes } from "../../../../db/email/schema";
import type { unsubscribeSchema } from "../../../../schemas/email/audience/unsubscribes";
import { iso } from "../../../kit/time";

/** A row with the masked address of the latest stored message to the address. */
type ListedUnsubscribe = Pick<typeof unsubscribes.$inferSelect, "id" | "category" | "source" | "created_at"> & {
  email_masked: string | null;
};

/** Returns an unsubscribe as a list item. */
export function presentUnsubscribe(row: ListedUnsubscribe): z.output<typeof unsubscribeSchema> {
  const { id, email_masked, category, source, created_at } = row;
  return { id, email_masked, category, source, created_at: iso(created_at) };
}
