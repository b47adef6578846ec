import type * as z from "zod";
import type { unsubscribes } from "../../../../db/email/schema";
import type { unsubscribeSchema } from "../../../../schemas/email/audience/unsubscribes";
import { iso } from "../../../kit/time";

/** An unsubscribe with the masked address, which comes from the latest stored message to the address. */
type ListedUnsubscribe = Pick<typeof unsubscribes.$inferSelect, "id" | "category" | "source" | "created_at"> & {
  email_masked: string | null;
};

/** Returns an unsubscribe as a list item. */
export function presentUnsubscribe(row: ListedUnsubscribe): z.output<typeof unsubscribeSchema> {
  const { id, email_masked, category, source, created_at } = row;
  return { id, email_masked, category, source, created_at: iso(created_at) };
}
