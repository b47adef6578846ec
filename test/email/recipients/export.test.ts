import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { audit_log, decisions } from "../../../db/email/schema";
import type { AddressExport } from "../../../schemas/email/audience/privacy";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { createCompany, createKey, magicLink, startEmail, storeSuppression, testEnv } from "../../support/email/email";
import { idAt } from "../../support/email/messages";
import { insertRow, readRows } from "../../support/email/rows";
import { DEPLOYED, libraryId } from "../../support/email/rules";

const email = await startEmail();
const PATH = "/api/v1/privacy/export";

it("exports the data of an address in one company in pages, with an audit entry that omits the address", async () => {
  const [company, other] = [createCompany(), createCompany()];
  const { key } = await createKey();
  for (const companyId of [company, company, company, other]) {
    await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId) });
  }
  await email.call("/api/v1/send", { bearer: key, json: magicLink(company, { to: [{ email: "noor@example.com" }] }) });
  await storeSuppression(company, "mina@example.com", { reason: "manual" });
  await storeSuppression(company, "mina@example.com", { unsubscribed: "bulk" });
  const email_hmac = await hashAddress((await keysOf(testEnv)).peppers[0] ?? new Uint8Array(), "mina@example.com");
  await insertRow(decisions, {
    company_id: company,
    id: idAt(Date.now()),
    service: "hosting",
    event_type: "hosting.app.created",
    reason: "recipient_suppressed",
    recipient_masked: "m***@example.com",
    email_hmac,
    request_id: "r",
    created_at: 1,
  } as const);
  const owner = await email.token({ companyId: company, isOwner: true, userId: company });
  const exportPage = async (query: string) => {
    const response = await email.call(`${PATH}?${query}`, { bearer: owner, json: { email: "MINA@example.com" } });
    expect(response.status).toBe(200);
    return response.json<AddressExport>();
  };
  const first = await exportPage("limit=2");
  expect(first).toMatchObject({ company_id: company, email: "MINA@example.com" });
  expect(first.messages.map(({ to_user_id, lane, events }) => [to_user_id, lane, events[0]?.type])).toEqual([
    [5, "auth", "queued"],
    [5, "auth", "queued"],
  ]);
  expect(first.suppressions).toMatchObject([{ reason: "manual", lanes: [], expires_at: null }]);
  expect(first.unsubscribes).toMatchObject([{ category: "bulk", source: "page" }]);
  expect(first.decisions).toMatchObject([{ event_type: "hosting.app.created", reason: "recipient_suppressed" }]);
  const second = await exportPage(`limit=2&cursor=${first.next_cursor}`);
  expect([second.messages.length, second.next_cursor]).toEqual([1, null]);
  const entries = await readRows(audit_log, eq(audit_log.company_id, company));
  expect(entries.map(({ action, changes }) => [action, changes])).toEqual([
    ["privacy.exported", "{}"],
    ["privacy.exported", "{}"],
  ]);
});

it("exports the email rules that have the address as a static recipient", async () => {
  const company = createCompany();
  const bearer = await email.token({ companyId: company, isOwner: true });
  const content = { library_id: await libraryId() };
  const created = await email.call("/api/v1/rules", {
    bearer,
    json: { event_type: DEPLOYED, recipient_mode: "static", static_recipients: ["Mina@example.com"], content },
  });
  const { id } = (await created.json()) as { id: number };
  const rulesWith = async (address: string) =>
    (await (await email.call(PATH, { bearer, json: { email: address } })).json<AddressExport>()).rules;
  expect(await rulesWith("mina@EXAMPLE.com")).toEqual([{ id, service: "hosting", event_type: DEPLOYED }]);
  expect(await rulesWith("noor@example.com")).toEqual([]);
});

it("rejects an export of an invalid address, of another company, by a member and by a service key", async () => {
  const company = createCompany();
  const owner = await email.token({ companyId: company, isOwner: true });
  const member = await email.token({ companyId: company });
  const { key } = await createKey();
  const postExport = async (bearer: string, json: object) => {
    const response = await email.call(PATH, { bearer, json });
    return [response.status, ((await response.json()) as { field_errors?: object }).field_errors];
  };
  expect(await postExport(owner, { email: "no address" })).toEqual([400, { email: ["invalid_format"] }]);
  expect(await postExport(owner, {})).toMatchObject([400, { email: expect.anything() }]);
  expect(await postExport(owner, { email: "a@example.com", company_id: createCompany() })).toEqual([403, undefined]);
  expect(await postExport(member, { email: "a@example.com" })).toEqual([403, undefined]);
  expect(await postExport(key, { email: "a@example.com" })).toEqual([401, undefined]);
});
