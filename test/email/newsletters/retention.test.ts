import { eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { broadcasts, newsletters, subscribers, template_versions, templates } from "../../../db/email/schema";
import { clock } from "../../../workers/kit/clock";
import { DAY_MS } from "../../../workers/kit/time";
import { storeBroadcast } from "../../support/email/broadcasts";
import { startEmail } from "../../support/email/email";
import { storeNewsletter, storeSubscriber } from "../../support/email/newsletter-rows";
import { startNewsletter } from "../../support/email/newsletters";
import { deleteRows, readRows, updateRows } from "../../support/email/rows";
import { command, OPERATOR_KEY } from "../../support/email/webhooks";
import { restoreClock } from "../../support/restore";

afterEach(restoreClock);

const email = await startEmail({ vars: { OPERATOR_KEY } });
const purge = (flags: object = {}) => command(email, "purge_expired_data", flags);
const consent = { at: 3, ip_hash: "5d".repeat(32), text_version: "9f".repeat(32) };

it("deletes people who did not confirm in time, with the counters, and keeps open confirmation links", async () => {
  const now = clock.now();
  const { companyId, list, rows, expectCounts } = await startNewsletter(email);
  const other = await storeNewsletter(companyId, { name: "Events", pending: 2 });
  const pending = { status: "pending", confirmed_at: null } as const;
  const at = (days: number) => ({ created_at: now - days * DAY_MS, mailed_at: now - days * DAY_MS });
  const [old, young] = [at(8), at(6)];
  const first = { id: list.id, company_id: companyId };
  for (const n of [1, 2, 3]) {
    await storeSubscriber(first, `old-${n}@example.com`, { ...pending, ...old, token_expires_at: now - n });
  }
  await storeSubscriber(first, "open@example.com", { ...pending, ...old, token_expires_at: now + DAY_MS });
  await storeSubscriber(first, "young@example.com", { ...pending, ...young });
  await storeSubscriber(first, "confirmed@example.com", old);
  await updateRows(newsletters, { pending: 5, confirmed: 1 }, eq(newsletters.id, list.id));
  await storeSubscriber(other, "old@example.com", { ...pending, ...old, source: "import" });
  await storeSubscriber(other, "young@example.com", { ...pending, ...young });

  await purge({ batch_size: 2 });
  const left = (await rows()).sort((a, b) => a.id - b.id).map(({ email_masked, status }) => [email_masked, status]);
  expect(left).toEqual([
    ["o***@example.com", "pending"],
    ["y***@example.com", "pending"],
    ["c***@example.com", "confirmed"],
  ]);
  expect(await expectCounts()).toEqual({ pending: 2, confirmed: 1, unsubscribed: 0 });
  expect(await readRows(newsletters, eq(newsletters.id, other.id))).toMatchObject([{ pending: 1 }]);
  expect(await readRows(subscribers, eq(subscribers.list_id, other.id))).toMatchObject([young]);
  clock.now = () => now + 2 * DAY_MS;
  await purge();
  expect(await rows()).toMatchObject([{ status: "confirmed" }]);
  expect(await expectCounts()).toEqual({ pending: 0, confirmed: 1, unsubscribed: 0 });
});

it("gives imported people their time to confirm from their mail, and stops to wait for a mail after 90 days", async () => {
  const now = clock.now();
  const { companyId, list, rows, expectCounts } = await startNewsletter(email);
  const first = { id: list.id, company_id: companyId };
  const imported = { status: "pending", confirmed_at: null, source: "import" } as const;
  await storeSubscriber(first, "waiting@example.com", { ...imported, created_at: now - 89 * DAY_MS });
  await storeSubscriber(first, "forgotten@example.com", { ...imported, created_at: now - 91 * DAY_MS });
  const paced = { ...imported, created_at: now - 20 * DAY_MS };
  await storeSubscriber(first, "mailed@example.com", {
    ...paced,
    mailed_at: now - 6 * DAY_MS,
    token_expires_at: now - 1,
  });
  await storeSubscriber(first, "late@example.com", {
    ...paced,
    mailed_at: now - 8 * DAY_MS,
    token_expires_at: now - 1,
  });
  await updateRows(newsletters, { pending: 4 }, eq(newsletters.id, list.id));
  await purge();
  expect((await rows()).map(({ email_masked }) => email_masked).sort()).toEqual([
    "m***@example.com",
    "w***@example.com",
  ]);
  expect(await expectCounts()).toEqual({ pending: 2, confirmed: 0, unsubscribed: 0 });
});

it("wipes people a week after they unsubscribed, but keeps the hash, the status and the proof of consent", async () => {
  const now = clock.now();
  const { companyId, list, rows, expectCounts, call, path } = await startNewsletter(email);
  const first = { id: list.id, company_id: companyId };
  const left = { status: "unsubscribed", consent, first_name_enc: "v1.name", token_hash: null } as const;
  const old = { ...left, unsubscribed_at: now - 8 * DAY_MS };
  const before = await storeSubscriber(first, "noor@example.com", old);
  await storeSubscriber(first, "again@example.com", {
    ...old,
    token_hash: crypto.randomUUID(),
    token_expires_at: now + DAY_MS,
  });
  await storeSubscriber(first, "mina@example.com", { ...left, unsubscribed_at: now - 6 * DAY_MS });
  await storeSubscriber(first, "imported@example.com", { ...old, consent: null });
  await updateRows(newsletters, { unsubscribed: 4 }, eq(newsletters.id, list.id));
  await purge();
  const [wiped, again, mina, imported] = (await rows()).sort((a, b) => a.id - b.id);
  expect(wiped).toEqual({
    ...before,
    ...{ email_enc: null, first_name_enc: null, consent: { ...consent, ip_hash: null } },
    cleared_at: expect.any(Number),
  });
  expect(again).toMatchObject({ consent, first_name_enc: "v1.name", cleared_at: null });
  expect(mina).toMatchObject({ consent, first_name_enc: "v1.name", cleared_at: null });
  expect(imported).toMatchObject({ email_enc: null, consent: null });
  expect(await expectCounts()).toEqual({ pending: 0, confirmed: 0, unsubscribed: 4 });
  const shown = await (await call("GET", `${path}/subscribers?email=noor@example.com`)).json();
  expect(shown).toMatchObject({ results: [{ email: "n***@example.com", first_name: "", status: "unsubscribed" }] });
  const csv = "email\nnoor@example.com\n";
  const imports = await call("POST", `${path}/subscribers/import`, { csv, mode: "consented" });
  expect(await imports.json()).toMatchObject({ added: 0, skipped_unsubscribed: 1 });
  clock.now = () => now + 2 * DAY_MS;
  await purge();
  expect((await rows()).every(({ email_enc, cleared_at }) => email_enc === null && cleared_at !== null)).toBe(true);
});

it("deletes the confirmation mail of a deleted newsletter, unless a broadcast uses it", async () => {
  const now = clock.now();
  const { companyId, list, path, call } = await startNewsletter(email);
  const templateId = list.confirmation_template_id;
  const versions = () => readRows(template_versions, eq(template_versions.template_id, templateId));
  expect((await call("DELETE", path)).status).toBe(204);
  const broadcast = await storeBroadcast(companyId, { template_id: templateId });
  clock.now = () => now + DAY_MS;
  await purge();
  expect((await versions()).length).toBeGreaterThan(0);
  await deleteRows(broadcasts, eq(broadcasts.id, broadcast.id));
  await purge();
  await purge();
  expect([await versions(), await readRows(templates, eq(templates.id, templateId))]).toEqual([[], []]);
});
