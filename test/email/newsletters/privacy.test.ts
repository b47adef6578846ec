import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { newsletters, subscribers } from "../../../db/email/schema";
import type { AddressExport } from "../../../schemas/email/audience/privacy";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { bytesToBase64 } from "../../../workers/kit/crypto/encoding";
import { startEmail } from "../../support/email/email";
import { storeNewsletter, storeSubscriber } from "../../support/email/newsletter-rows";
import { deleteRows, readRows, updateRows } from "../../support/email/rows";
import { startSignUp } from "../../support/email/sign-up";

const previous = new Uint8Array(32).fill(77);
const email = await startEmail({ vars: { EMAIL_HASH_PEPPER_PREVIOUS: bytesToBase64(previous) } });
const ADDRESS = "noor@example.com";

/** Starts a newsletter with functions that export and erase the data of an address. */
async function start() {
  const newsletter = await startSignUp(email);
  const { companyId, owner } = newsletter;
  const exported = async (address = ADDRESS) => {
    const response = await email.call("/api/v1/privacy/export", { bearer: owner, json: { email: address } });
    expect(response.status).toBe(200);
    return (await response.json<AddressExport>()).newsletters;
  };
  const erase = async (address = ADDRESS) => {
    const bearer = await email.token({ isStaff: true, userId: 9 });
    const json = { company_id: companyId, email: address };
    expect((await email.call("/api/v1/privacy/erase", { bearer, json })).status).toBe(200);
  };
  return { ...newsletter, exported, erase };
}

it("erases an address from all newsletters of a company, with the counters", async () => {
  const { companyId, list, exported, erase, rows, expectCounts } = await start();
  const other = await storeNewsletter(companyId, { name: "Events", pending: 1, confirmed: 1 });
  const foreign = await storeNewsletter(companyId + 1_000_000_000, { confirmed: 1 });
  const left = await storeSubscriber({ id: list.id, company_id: companyId }, ADDRESS, {
    status: "unsubscribed",
    unsubscribed_at: 5,
  });
  await storeSubscriber({ id: list.id, company_id: companyId }, "mina@example.com");
  await updateRows(newsletters, { confirmed: 1, unsubscribed: 1 }, eq(newsletters.id, list.id));
  // A subscriber from before a change of the pepper.
  const email_hmac = await hashAddress(previous, ADDRESS);
  await storeSubscriber(other, ADDRESS, { email_hmac, status: "pending", confirmed_at: null, source: "import" });
  await storeSubscriber(other, "mina@example.com");
  await storeSubscriber(foreign, ADDRESS);

  expect((await exported()).map(({ list_name, status, source }) => [list_name, status, source])).toEqual([
    ["Product news", "unsubscribed", "form"],
    ["Events", "pending", "import"],
  ]);
  await erase("NOOR@example.com");
  expect(await exported()).toEqual([]);
  expect((await rows()).map(({ email_masked }) => email_masked)).toEqual(["m***@example.com"]);
  expect((await rows())[0]?.id).not.toBe(left.id);
  expect(await expectCounts()).toEqual({ pending: 0, confirmed: 1, unsubscribed: 0 });
  const [events, untouched] = await Promise.all(
    [other, foreign].map(({ id }) => readRows(newsletters, eq(newsletters.id, id))),
  );
  expect(events).toMatchObject([{ pending: 0, confirmed: 1, unsubscribed: 0 }]);
  expect(untouched).toMatchObject([{ pending: 0, confirmed: 1, unsubscribed: 0 }]);
  expect(await readRows(subscribers, eq(subscribers.list_id, other.id))).toHaveLength(1);
  expect(await readRows(subscribers, eq(subscribers.list_id, foreign.id))).toHaveLength(1);
  await erase();
  expect(await expectCounts()).toEqual({ pending: 0, confirmed: 1, unsubscribed: 0 });
  await deleteRows(newsletters, eq(newsletters.id, foreign.id));
  await deleteRows(subscribers, eq(subscribers.list_id, foreign.id));
});

it("exports the proof of consent, and ends an open confirmation link with the erasure", async () => {
  const { subscribe, mails, linkOf, list, exported, erase, expectCounts } = await start();
  await subscribe({ email: ADDRESS, language: "fr" });
  const link = await linkOf((await mails())[0]);
  expect(await exported()).toMatchObject([
    { list_id: list.id, language: "fr", status: "pending", confirmed_at: null, consent: null },
  ]);
  expect((await email.call(link, { method: "POST" })).status).toBe(200);
  const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
  const [subscription] = await exported();
  expect(subscription).toEqual({
    ...{ list_id: list.id, list_name: "Product news", language: "fr", status: "confirmed", source: "form" },
    ...{ created_at: iso, confirmed_at: iso, unsubscribed_at: null },
    consent: { at: iso, ip_hash: subscription?.consent?.ip_hash, text_version: hash },
  });
  await erase();
  expect((await email.call(link)).status).toBe(404);
  expect(await exported()).toEqual([]);

  await subscribe({ email: ADDRESS });
  const next = await linkOf((await mails())[0]);
  await erase();
  expect((await email.call(next, { method: "POST" })).status).toBe(404);
  expect([await exported(), await mails()]).toEqual([[], []]);
  expect(await expectCounts()).toEqual({ pending: 0, confirmed: 0, unsubscribed: 0 });
});
