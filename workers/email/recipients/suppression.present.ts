import type * as z from "zod";
import type { Lane } from "../../../schemas/email/lanes";
import type { suppressionCreatedSchema, suppressionSchema } from "../../../schemas/email/suppressions";
import type { SuppressionRow } from "./suppression.store";

/** The answer of a created suppression. */
export function presentCreatedSuppression(row: SuppressionRow): z.output<typeof suppressionCreatedSchema> {
  return { id: row.id, email_masked: row.email_masked, reason: row.reason };
}

/** A suppression in a list; the address is known masked only. */
export function presentSuppression(row: SuppressionRow): z.output<typeof suppressionSchema> {
  return {
    ...presentCreatedSuppression(row),
    lanes: JSON.parse(row.lanes) as Lane[],
    expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
  };
}
