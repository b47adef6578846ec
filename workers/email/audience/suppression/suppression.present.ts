import type * as z from "zod";
import type { suppressions } from "../../../../db/email/schema";
import type { suppressionCreatedSchema, suppressionSchema } from "../../../../schemas/email/audience/suppressions";
import { iso } from "../../../kit/time";

type SuppressionRow = typeof suppressions.$inferSelect;

/** Returns the response for a created suppression. */
export function presentCreatedSuppression(row: SuppressionRow): z.output<typeof suppressionCreatedSchema> {
  return { id: row.id, email_masked: row.email_masked, reason: row.reason };
}

/** Returns a suppression as a list item. Only the masked address is stored. */
export function presentSuppression(row: SuppressionRow): z.output<typeof suppressionSchema> {
  return {
    ...presentCreatedSuppression(row),
    lanes: row.lanes,
    expires_at: iso(row.expires_at),
    created_at: iso(row.created_at),
  };
}
