import type * as z from "zod";
import type { unsubscribeSchema } from "../../../schemas/email/unsubscribes";
import type { UnsubscribeListRow } from "./unsubscribe.store";

/** An unsubscribe in a list; its own row holds a hash only. */
export function presentUnsubscribe(row: UnsubscribeListRow): z.output<typeof unsubscribeSchema> {
  const { id, email_masked, category, source } = row;
  return { id, email_masked, category, source, created_at: new Date(row.created_at).toISOString() };
}
