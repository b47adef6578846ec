import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { messages, newsletters, subscribers, suppressions, unsubscribes } from "../../../db/email/schema";
import {
  enqueueLateListSteps,
  removeNextSubscribers,
  sendNextConfirmations,
} from "../../../workers/email/audience/newsletters/confirmation-steps";
import { openContact } from "../../../workers/email/audience/newsletters/subscriber-seal";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { services as createServices } from "../../../workers/email/services";
import { createLog } from "../../../workers/kit/log";
import { problemOf } from "../../support/email/admin";
import { startEmail } from "../../support/email/email";
import { uniqueAddress } from "../../support/email/messages";
import { startNewsletter } from "../../support/email/newsletters";
import { insertRow, pauseLane, readRows, updateRows } from "../../support/email/rows";

const email = await startEmail({
  vars: { API_MUTATION_RATE_LIMIT: "1000000/min", EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR: "250" },
});

const servicesOf = () =>
  createServices(email.bindings, {
    requestId: "test",
    log: createLog({ service: "email" }),
    waitUntil: () => undefined,
  });
const hashOf = async (address: string) => {
  const { peppers } = await keysOf(email.bindings);
  return hashAddress(peppers[0] as Uint8Array, address);
};
const mailsOf = (companyId: number) =>
  readRows(messages, and(eq(messages.company_id, companyId), eq(messages.event_type, "newsletter_confirmation")));
const NOTHING = { existing: 0, invalid: 0, skipped_unsubscribed: 0, skipped_suppressed: 0, throttled: 0 };

async function startImport() {
  const started = await startNewsletter(email);
  const run = async (csv: string, mode = "consented") => {
    const response = await started.call("POST", `${started.path}/subscribers/import`, { csv, mode });
    await started.expectCounts();
    return response;
  };
  const people = async () => {
    const keys = await keysOf(email.bindings);
    return Promise.all(
      (await started.rows()).map(async (row) => {
        const { email: address, firstName } = await openContact(row, keys);
        return [address, firstName, row.language, row.status, row.source];
      }),
    );
  };
  return { ...started, run, people };
}

it("imports people with consent from CSV with a header in any order, quotes, a BOM and blank lines", async () => {
  const { run, people } = await startImport();
  const csv =
    '\ufeffFirst_Name,language,note,EMAIL\r\n\r\n"Mina ""M"" L, Jr",fr,x,mina@a.example\r\n,,,\r\nLeo,de,,LEO@a.example\nLeo,en,,leo@a.example\n,,,nobody\n';
  expect(await (await run(csv)).json()).toEqual({ ...NOTHING, added: 2, invalid: 1 });
  expect(await people()).toEqual([
    ["mina@a.example", 'Mina "M" L, Jr', "fr", "confirmed", "import"],
    ["leo@a.example", "Leo", "en", "confirmed", "import"],
  ]);
});

it("imports people without a header and keeps those who are stored", async () => {
  const { run, people, add } = await startImport();
  const stored = uniqueAddress();
  const pending = uniqueAddress();
  await add({ email: stored, first_name: "First", mode: "consented" });
  await add({ email: pending });
  const csv = `${stored},Second\n${pending}\nnew-${stored},New,fr`;
  expect(await (await run(csv)).json()).toEqual({ ...NOTHING, added: 2, existing: 1 });
  expect(await people()).toEqual([
    [stored, "First", "en", "confirmed", "admin"],
    [pending, "", "en", "confirmed", "admin"],
    [`new-${stored}`, "New", "fr", "confirmed", "import"],
  ]);
  expect(await (await run(csv)).json()).toEqual({ ...NOTHING, added: 0, existing: 3 });
});

it("skips and counts suppressed and unsubscribed addresses", async () => {
  const { companyId, list, run, add, rows } = await startImport();
  const [gone, left, bulk, bounced] = [uniqueAddress(), uniqueAddress(), uniqueAddress(), uniqueAddress()];
  await add({ email: gone, mode: "consented" });
  await updateRows(subscribers, { status: "unsubscribed" }, eq(subscribers.list_id, list.id));
  await updateRows(newsletters, { confirmed: 0, unsubscribed: 1 }, eq(newsletters.id, list.id));
  const unsubscribe = async (address: string, category: string) =>
    insertRow(unsubscribes, {
      company_id: companyId,
      email_hmac: await hashOf(address),
      category,
      source: "page",
      created_at: 1,
    });
  await unsubscribe(left, `list-${list.id}`);
  await unsubscribe(bulk, "bulk");
  const row = { company_id: companyId, email_hmac: await hashOf(bounced), email_masked: "x", created_at: 1 };
  await insertRow(suppressions, { ...row, reason: "hard_bounce", lanes: ["bulk"] });
  const csv = [gone, left, bulk, bounced].join("\n");
  const counts = { ...NOTHING, added: 0, skipped_unsubscribed: 3, skipped_suppressed: 1 };
  expect(await (await run(csv)).json()).toEqual(counts);
  expect(await rows()).toHaveLength(1);
});

it.each(["confirm", "consented"])("never mails people who unsubscribed before, in the mode %s", async (mode) => {
  const { companyId, list, run, rows } = await startImport();
  const [left, bulk] = [uniqueAddress(), uniqueAddress()];
  const common = { company_id: companyId, source: "page", created_at: 1 } as const;
  await insertRow(unsubscribes, { ...common, email_hmac: await hashOf(left), category: `list-${list.id}` });
  await insertRow(unsubscribes, { ...common, email_hmac: await hashOf(bulk), category: "bulk" });
  const counts = { ...NOTHING, added: 0, skipped_unsubscribed: 2 };
  expect(await (await run(`${left}\n${bulk}`, mode)).json()).toEqual(counts);
  expect([await rows(), await mailsOf(companyId)]).toEqual([[], []]);
});

it("counts only rows with text, so blank rows displace nobody", async () => {
  const { companyId, run } = await startImport();
  const people = Array.from({ length: 5100 }, (_, i) => `p${i}.${companyId}@a.example,,`);
  const counts = { ...NOTHING, added: people.length };
  expect(await (await run(people.join("\n,,\n  \n"))).json()).toEqual(counts);
});

it.each([
  ["name,language\nMina,en", [400, "validation_failed", { csv: ["email_column_missing"] }]],
  ['mina@a.example,"open', [400, "validation_failed", { csv: ["invalid"] }]],
  ["x".repeat(2_097_153), [400, "import_too_large"]],
  [Array.from({ length: 10_001 }, (_, i) => `u${i}@a.example`).join("\n"), [400, "import_too_large"]],
])("rejects unusable CSV", async (csv, problem) => {
  const { run, rows } = await startImport();
  expect(await problemOf(await run(csv))).toEqual(problem);
  expect(await rows()).toEqual([]);
});

it("names the exceeded limit", async () => {
  const { run } = await startImport();
  expect(await (await run("x".repeat(2_097_153))).json()).toMatchObject({ limit: 2_097_152 });
});

it("imports 10,000 rows in one request, at most 30 statements and 10 seconds", async () => {
  const { companyId, run, expectCounts } = await startImport();
  const header = "email,first_name,language\n";
  const csv =
    header + Array.from({ length: 10_000 }, (_, i) => `u${i}.${companyId}@a.example,"Name ${i}",fr`).join("\n");
  const before = email.statements();
  const start = performance.now();
  const response = await run(csv);
  expect(await response.json()).toEqual({ ...NOTHING, added: 10_000 });
  expect(performance.now() - start).toBeLessThan(10_000);
  // The counts that the test reads are statements too.
  expect(email.statements() - before).toBeLessThanOrEqual(30);
  expect(await expectCounts()).toEqual({ pending: 0, confirmed: 10_000, unsubscribed: 0 });
});

it("asks imported people in steps within the limit of the company, and nobody twice", async () => {
  const { companyId, list, run, expectCounts } = await startImport();
  const csv = Array.from({ length: 320 }, (_, i) => `u${i}.${companyId}@a.example`).join("\n");
  expect(await (await run(csv, "confirm")).json()).toEqual({ ...NOTHING, added: 320 });
  expect(email.queueMessages.service).toContainEqual(
    expect.objectContaining({ kind: "confirmations", ids: [String(list.id)], company_id: companyId }),
  );
  // A step whose last batch fails changes nothing, so it is repeated.
  const services = servicesOf();
  const failing = {
    ...services,
    dbOf: () => ({ ...services.dbOf(companyId), batch: failAfter(services.dbOf(companyId).batch, 1) }),
  };
  await expect(sendNextConfirmations(failing as never, companyId, list.id)).rejects.toThrow("killed");
  expect(await mailsOf(companyId)).toEqual([]);
  await Promise.all([servicesOf(), servicesOf()].map((one) => sendNextConfirmations(one, companyId, list.id)));
  for (let i = 0; i < 3; i++) await sendNextConfirmations(servicesOf(), companyId, list.id);
  const mails = await mailsOf(companyId);
  expect(new Set(mails.map(({ email_hmac }) => email_hmac)).size).toBe(mails.length);
  expect(mails.length).toBe(250);
  const [row] = await readRows(newsletters, eq(newsletters.id, list.id));
  expect(row?.confirm_at).toBeGreaterThan(Date.now() + 60_000);
  expect(await expectCounts()).toEqual({ pending: 320, confirmed: 0, unsubscribed: 0 });
  await updateRows(newsletters, { confirm_at: 1 }, eq(newsletters.id, list.id));
  await updateRows(subscribers, { mailed_at: 1 }, eq(subscribers.list_id, list.id));
  await sendNextConfirmations(servicesOf(), companyId, list.id);
  expect((await readRows(newsletters, eq(newsletters.id, list.id)))[0]?.confirm_at).toBeNull();
});

function failAfter(batch: (statements: never) => Promise<unknown>, calls: number) {
  let count = 0;
  return (statements: never) => {
    count += 1;
    if (count > calls) throw new Error("killed");
    return batch(statements);
  };
}

it("skips people who were suppressed meanwhile, and waits while the lane is paused", async () => {
  const { companyId, list, run } = await startImport();
  const address = uniqueAddress();
  await run(address, "confirm");
  const state = async () => (await readRows(newsletters, eq(newsletters.id, list.id)))[0]?.confirm_at;
  await pauseLane("transactional", companyId, "company");
  await sendNextConfirmations(servicesOf(), companyId, list.id);
  expect(await state()).toBeGreaterThan(Date.now() + 200_000);
  const { lane_states } = await import("../../../db/email/schema");
  await updateRows(lane_states, { paused: false }, eq(lane_states.company_id, companyId));
  await updateRows(newsletters, { confirm_at: 1 }, eq(newsletters.id, list.id));
  const row = { company_id: companyId, email_hmac: await hashOf(address), email_masked: "x", created_at: 1 };
  await insertRow(suppressions, { ...row, reason: "manual", lanes: [] });
  await sendNextConfirmations(servicesOf(), companyId, list.id);
  expect([await mailsOf(companyId), await state()]).toEqual([[], null]);
});

it("mails pending people again unless they are throttled", async () => {
  const { companyId, list, run, add, rows } = await startImport();
  const [recent, earlier] = [uniqueAddress(), uniqueAddress()];
  await add({ email: recent });
  await add({ email: earlier });
  const [, row] = await rows();
  await updateRows(subscribers, { mailed_at: Date.now() - 700_000 }, eq(subscribers.id, row?.id ?? 0));
  const result = await (await run([recent, earlier].join("\n"), "confirm")).json();
  expect(result).toEqual({ ...NOTHING, added: 0, existing: 1, throttled: 1 });
  await sendNextConfirmations(servicesOf(), companyId, list.id);
  expect(await mailsOf(companyId)).toHaveLength(3);
});

it("enqueues lost steps again, and deletes the subscribers of a deleted newsletter in steps", async () => {
  const { companyId, list, path, run, call, rows } = await startImport();
  await run(Array.from({ length: 4500 }, (_, i) => `u${i}.${companyId}@a.example`).join("\n"), "confirm");
  await updateRows(newsletters, { confirm_at: 1 }, eq(newsletters.id, list.id));
  const sent = () =>
    (email.queueMessages.service ?? []).filter(({ ids }) => ids.includes(String(list.id))).map(({ kind }) => kind);
  await enqueueLateListSteps(servicesOf());
  expect(sent()).toEqual(["confirmations", "confirmations"]);
  expect((await call("DELETE", path)).status).toBe(204);
  expect((await call("GET", path)).status).toBe(404);
  expect(await rows()).toHaveLength(2500);
  expect(sent().at(-1)).toBe("remove_subscribers");
  await removeNextSubscribers(servicesOf(), companyId, list.id);
  await removeNextSubscribers(servicesOf(), companyId, list.id);
  expect(await rows()).toEqual([]);
  await removeNextSubscribers(servicesOf(), companyId, list.id);
});
