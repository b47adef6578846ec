import { createExecutionContext } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { mail_outbox, sign_in_requests } from "../../../db/identity/schema";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import worker from "../../../workers/identity/worker";
import { clock } from "../../../workers/kit/clock";
import { meterDatabase } from "../../support/db/metered-database";
import {
  callIdentity,
  createCompany,
  createMailbox,
  freshEmail,
  freshIp,
  identityEnv,
  json,
  type Mailbox,
  requestLink,
} from "../../support/identity/identity";
import { changeCompany, entriesOf, readRows, rowsOfCompany } from "../../support/identity/rows";
import { tick } from "../../support/jobs/jobs";

function advance(seconds: number): void {
  const base = clock.now;
  clock.now = () => base() + seconds * 1000;
}

const findMailRow = async (company: number) => (await rowsOfCompany(sign_in_requests, company))[0];
const countAttempts = (mailbox: Mailbox, key: string) =>
  mailbox.keys.filter((attemptedKey) => attemptedKey === key).length;

/** Requests a link without waiting for the background work, which sends the mail. */
async function requestAndFail(env: IdentityBindings) {
  const company = await createCompany();
  const body = { company_id: company.id, email: freshEmail(), redirect_to: company.origin };
  const init = json(body, { "cf-connecting-ip": freshIp() });
  const request = new Request("http://localhost:8787/api/v1/magic-link/request", init);
  const response = await worker.fetch(request as never, env, createExecutionContext());
  await response.arrayBuffer();
  return { company, status: response.status };
}

/** Returns an email service whose response is pending until `release`. */
function holdEmailService() {
  let release = (_response: Response) => {};
  let calls = 0;
  const fetch = () => {
    calls += 1;
    return new Promise<Response>((resolve) => {
      release = resolve;
    });
  };
  return {
    email: { fetch } as unknown as Fetcher,
    calls: () => calls,
    release: (response: Response) => release(response),
  };
}

it.each([
  ["\u202eAster\u200b Labs", "Aster Labs"],
  ["Aster https://evil.example/x", "Aster https evil example x"],
  ["\u2066\u2069", "slug"],
])("applies the current naming rules to a company name that was stored earlier: %j", async (name, mailedName) => {
  const mailbox = createMailbox();
  const company = await createCompany();
  const slug = new URL(company.origin).hostname.split(".")[0];
  await changeCompany(company.id, { name });
  const { mail } = await requestLink(identityEnv(mailbox), mailbox, company, freshEmail());
  expect(mail.variables.company_name).toBe(mailedName === "slug" ? slug : mailedName);
});

it("stores the mail with its lease in the row of the link request, without another row, claim or read", async () => {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const { db, takeStatements } = meterDatabase(env.DB);
  const body = { company_id: company.id, email: freshEmail(), redirect_to: company.origin };
  await callIdentity({ ...env, DB: db }, "/api/v1/magic-link/request", json(body));
  expect(await findMailRow(company.id)).toMatchObject({ mail_state: "sent", mail_attempts: 1, mail_sealed: null });
  expect(await readRows(mail_outbox, eq(mail_outbox.company_id, company.id))).toEqual([]);
  const changes = takeStatements().filter(({ text }) => !text.startsWith("select"));
  expect(changes.map(({ text }) => text.split('"').slice(0, 2).join(""))).toEqual([
    "insert into sign_in_requests",
    "insert into event_log",
    "update sign_in_requests",
  ]);
});

it("lets the sweep claim a mail when the lease of an isolate that died before sending has expired", async () => {
  const emailService = holdEmailService();
  const { company, status } = await requestAndFail({ ...identityEnv(createMailbox()), EMAIL: emailService.email });
  expect(status).toBe(200);
  await vi.waitFor(() => expect(emailService.calls()).toBe(1), { timeout: 10_000 });
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const { id = "" } = (await findMailRow(company.id)) ?? {};
  const key = `magic-link-${id}`;
  expect(await findMailRow(company.id)).toMatchObject({ mail_state: "waiting", mail_attempts: 1 });
  advance(29);
  await tick(worker, env, "* * * * *");
  expect(countAttempts(mailbox, key)).toBe(0);
  advance(2);
  await tick(worker, env, "* * * * *");
  expect(countAttempts(mailbox, key)).toBe(1);
  expect(await findMailRow(company.id)).toMatchObject({ mail_state: "sent", mail_attempts: 2, mail_sealed: null });
  // The first isolate was only slow. Its late result changes nothing.
  emailService.release(new Response(null, { status: 422 }));
  await new Promise((resolve) => setTimeout(resolve, 0));
  await tick(worker, env, "* * * * *");
  expect(await findMailRow(company.id)).toMatchObject({ mail_state: "sent", mail_error: null });
  expect(await entriesOf(company.id, "identity.auth.magic_link.mail_failed")).toEqual([]);
});

it("expires the link mail at its deadline, and emits one event in addition to that of the request", async () => {
  const { company } = await requestAndFail({ ...identityEnv(createMailbox()), EMAIL: holdEmailService().email });
  advance(301);
  const env = identityEnv(createMailbox());
  await Promise.all([tick(worker, env, "* * * * *"), tick(worker, env, "* * * * *")]);
  expect(await findMailRow(company.id)).toMatchObject({ mail_state: "expired", mail_sealed: null, mail_lease: null });
  const events = await entriesOf(company.id);
  expect(events.map(({ event_type }) => event_type)).toEqual([
    "identity.auth.magic_link.requested",
    "identity.auth.magic_link.mail_failed",
  ]);
});
