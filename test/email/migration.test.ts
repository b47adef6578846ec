import { applyD1Migrations, env, reset } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { message_totals, messages, send_requests, stats_days } from "../../db/email/schema";
import { keysOf } from "../../workers/email/keys";
import { messageAad } from "../../workers/email/records/seal/seal";
import { seal } from "../../workers/kit/crypto/seal";
import { createCompany, startEmail, testEnv } from "../support/email/email";
import { idAt } from "../support/email/messages";
import { db, readRows } from "../support/email/rows";

const ROW = {
  service: "identity",
  template_key: "t",
  event_type: "t",
  language: "en",
  lane: "auth",
  category: "auth",
  scope: "platform",
  to_masked: "m***@example.com",
  trace: "{}",
  request_id: "r",
};

/** Inserts a row by column names, independent of today's schema. */
function insert(table: string, row: Record<string, string | number | null>): Promise<unknown> {
  const names = Object.keys(row);
  const placeholders = names.map(() => "?").join(", ");
  const text = `insert into ${table} (${names.join(", ")}) values (${placeholders})`;
  return env.DB.prepare(text)
    .bind(...Object.values(row))
    .run();
}

it("migrates messages (including their events), stored responses and roll-ups to tables without row ids", async () => {
  await reset();
  const last = env.TEST_MIGRATIONS.findIndex(({ name }) => name.includes("_messages"));
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, last));
  const company = createCompany();
  const now = Date.now();
  const keys = await keysOf(testEnv);
  const [sent, waiting] = [idAt(now - 2000), idAt(now - 1000)];
  const store = async (id: string, columns: Record<string, string | number | null>) =>
    insert("messages", {
      ...ROW,
      id,
      company_id: company,
      email_hmac: `h-${id}`,
      accepted_at: now,
      next_attempt_at: now,
      to_enc: await seal("mina@example.com", keys.variables, messageAad("to_enc", company, id)),
      ...columns,
    });
  const request = "0123abcd-0000-4000-8000-00000000beef";
  await store(sent, { status: "sent", send_request_id: request });
  await store(waiting, { status: "retrying" });
  for (const [message_id, type, at] of [
    [sent, "sent", now + 2],
    [sent, "queued", now],
    [waiting, "queued", now],
    [waiting, "retrying", now + 1],
  ] as const) {
    await insert("message_events", { company_id: company, message_id, type, at });
  }
  const response = '{"messages":[]}';
  await insert("send_requests", {
    id: request,
    service: "identity",
    company_id: company,
    idempotency_key: "k",
    path: "/api/v1/send",
    fingerprint: "f",
    response,
    created_at: now,
  });
  const day = new Date(now).toISOString().slice(0, 10);
  await insert("stats_days", { company_id: company, day, lane: "auth", event_type: "t", queued: 1, sent: 1 });

  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  const rows = await readRows(messages, eq(messages.company_id, company));
  expect(rows.map(({ id, next_attempt_at, events }) => [id, next_attempt_at, events])).toEqual([
    [
      sent,
      null,
      [
        { type: "queued", at: now },
        { type: "sent", at: now + 2 },
      ],
    ],
    [
      waiting,
      now,
      [
        { type: "queued", at: now },
        { type: "retrying", at: now + 1 },
      ],
    ],
  ]);
  const [storedRequest] = await readRows(send_requests, eq(send_requests.company_id, company));
  expect(storedRequest).toMatchObject({ idempotency_key: "k", response: { messages: [] }, created_at: now });
  expect(storedRequest?.id).toMatch(/^[0-9a-f]{32}$/);
  expect(Number.parseInt(storedRequest?.id.slice(0, 12) ?? "", 16)).toBe(now);
  expect(rows[0]?.send_request_id).toBe(storedRequest?.id);

  // Rolled-up messages are not counted again. Cancelling the waiting message moves it from `queued` to `cancelled` in the
  // statistics of its day.
  const email = await startEmail();
  const owner = await email.token({ companyId: company, isOwner: true });
  const path = `/api/v1/messages/msg_${waiting}/cancel`;
  expect((await email.call(path, { bearer: owner, method: "POST" })).status).toBe(200);
  const isOfCompany = eq(stats_days.company_id, company);
  expect(await readRows(stats_days, isOfCompany)).toMatchObject([{ queued: 0, sent: 1, cancelled: 1 }]);
  const totals = await readRows(message_totals, eq(message_totals.company_id, company));
  expect(totals).toMatchObject([{ sent: 1, cancelled: 1 }]);
  const text = await (await email.call("/api/v1/metrics", { bearer: owner })).text();
  expect(text).toContain(`messages_total{company_id="${company}",lane="auth",status="sent"} 1`);
  await db.delete(messages).where(eq(messages.company_id, company));
});
