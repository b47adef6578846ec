import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { broadcasts, stats_marks } from "../../../db/email/schema";
import { rollUpBefore } from "../../../workers/email/operations/metrics/roll-up.store";
import { openDb } from "../../../workers/kit/db/db";
import { DAY_MS } from "../../../workers/kit/time";
import { problemOf, startCompany } from "../../support/email/admin";
import { storeDraftBroadcast } from "../../support/email/draft-broadcasts";
import { startEmail, testEnv } from "../../support/email/email";
import { storeMessage } from "../../support/email/messages";
import { updateRows } from "../../support/email/rows";

const email = await startEmail();
const { companyId, owner } = await startCompany(email);
const read = async (path: string) => (await email.call(path, { bearer: owner })).json<Record<string, unknown>>();

const STATUSES = [
  ...(["queued", "sending", "retrying", "sent", "delivery_delayed", "delivered"] as const),
  ...(["bounced", "complained", "failed", "expired", "suppressed", "cancelled"] as const),
];

it("equals the rows in every state, before and after the roll-up, in statistics and in searches", async () => {
  await updateRows(stats_marks, { counted_before: Date.now() - 40 * DAY_MS }, eq(stats_marks.id, 1));
  const now = Date.now();
  const listId = 7_000_000 + companyId;
  const broadcast = await storeDraftBroadcast(companyId, {
    state: "sending",
    started_at: now - 1000,
    list_id: listId,
    pending: 2,
    skipped_unsubscribed: 3,
    skipped_suppressed: 4,
    removed: 1,
    messages: STATUSES.length,
  });
  const mail = {
    lane: "bulk",
    event_type: "broadcast",
    service: "broadcast",
    template_key: broadcast.template_key,
  } as const;
  for (const status of STATUSES)
    await storeMessage(companyId, {
      ...mail,
      status,
      broadcast_id: broadcast.id,
      list_id: listId,
      accepted_at: now,
    });
  const counts = {
    total: 22,
    pending: 2,
    skipped_unsubscribed: 3,
    skipped_suppressed: 4,
    queued: 3,
    sent: 2,
    delivered: 1,
    bounced: 1,
    complained: 1,
    cancelled: 2,
    failed: 3,
  };
  const expectCounts = async () => {
    expect((await read(`/api/v1/broadcasts/${broadcast.id}`)).counts).toEqual(counts);
    expect((await read("/api/v1/broadcasts")).broadcasts).toMatchObject([{ id: broadcast.id, counts }]);
    for (const query of [`broadcast_id=${broadcast.id}`, `list_id=${listId}`, ""]) {
      const stats = await read(`/api/v1/stats?${query}`);
      expect(stats.totals, query).toMatchObject({ queued: 3, delivered: 1, failed: 1, expired: 1, cancelled: 1 });
      expect(Object.keys(stats.by_internal as object), query).toEqual(["broadcast"]);
    }
    expect((await read("/api/v1/stats?broadcast_id=999999999")).totals).toMatchObject({ queued: 0, delivered: 0 });
  };
  await expectCounts();
  await rollUpBefore(openDb(testEnv.DB), Date.now() + 1000);
  await expectCounts();
  const found = (await read(`/api/v1/messages?broadcast_id=${broadcast.id}`)).messages as { id: string }[];
  expect(found).toHaveLength(STATUSES.length);
  expect((await read(`/api/v1/messages?broadcast_id=${broadcast.id + 1}`)).messages).toEqual([]);
  expect(await read(`/api/v1/messages/${found[0]?.id}`)).toMatchObject({
    broadcast_id: broadcast.id,
    broadcast: { id: broadcast.id, name: "March news" },
  });
  for (const path of ["messages", "stats"]) {
    const response = await email.call(`/api/v1/${path}?broadcast_id=x`, { bearer: owner });
    expect(await problemOf(response)).toEqual([400, "validation_failed", { broadcast_id: ["invalid"] }]);
  }
  await updateRows(broadcasts, { state: "sent", sent_at: Date.now() }, eq(broadcasts.id, broadcast.id));
  expect((await read(`/api/v1/broadcasts/${broadcast.id}`)).counts).toEqual(counts);
});
