import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { lane_states, messages, suppressions } from "../../../db/email/schema";
import type { EmailBindings } from "../../../workers/email/bindings";
import { rowsOf } from "../db/rows";

/** Helpers for rows of the email service's database. */
export const { db, runTogether, insertRow, insertRows, readRows, updateRows, deleteRows, countRows } = rowsOf(
  (env as unknown as EmailBindings).DB,
);

/** Stores a lane pause by staff. Company 0 pauses the lane for all companies. */
export async function pauseLane(
  lane: (typeof lane_states.$inferInsert)["lane"],
  companyId: number,
  scope: (typeof lane_states.$inferInsert)["scope"] = "platform",
): Promise<void> {
  await insertRow(lane_states, { lane, company_id: companyId, scope, paused: true, paused_at: 0 });
}

/** Updates the stored message with an id (32 hex characters). */
export function changeMessage(id: string, changes: Partial<typeof messages.$inferInsert>): Promise<void> {
  return updateRows(messages, changes, eq(messages.id, id));
}

/** Suppresses the address with this hash. */
export async function suppressHash(
  companyId: number,
  emailHmac: string,
  row: Partial<typeof suppressions.$inferInsert> & { reason: (typeof suppressions.$inferInsert)["reason"] },
): Promise<void> {
  const columns = { company_id: companyId, email_hmac: emailHmac };
  await insertRow(suppressions, { email_masked: "***", created_at: 1, ...row, ...columns });
}
