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

const mailOf = async (company: number) => (await rowsOfCompany(sign_in_requests, company))[0];
const keysOf = (mailbox: Mailbox, key: string) => mailbox.keys.filter((tried) => tried === key).length;

/** Requests a link and does not wait for the work after the response, in which the mail is sent. */
async function requestAndFail(env: IdentityBindings) {
  const company = await createCompany();
  const body = { company_id: company.id, email: freshEmail(), redirect_to: company.origin };
  const init = json(body, { "cf-connecting-ip": freshIp() });
  const request = new Request("http://localhost:8787/api/v1/magic-link/request", init);
  const response = await worker.fetch(request as never, env, createExecutionContext());
  await response.arrayBuffer();
  return { company, status: response.status };
}

/** A request to the email service that is pending until `release`. */
function hold() {
  let release = (_response: Response) => {};
  let calls = 0;
  const fetch = () => {
    calls += 1;
    return new Promise<Response>((resolve) => {
      release = resolve;
    });
  };
  return { email: { fetch } as unknown as Fetcher, calls: () => calls, release: (given: Response) => release(given) };
}

it.each([
  ["\u202eAster\u200b Labs", "Aster Labs"],
  ["Aster https://evil.example/x", "Aster https evil example x"],
  ["\u2066\u2069", "slug"],
])("applies the present naming rules to an older company name %j", async (name, mailedName) => {
  const mailbox = createMailbox();
  const company = await createCompany();
  const slug = new URL(company.origin).hostname.split(".")[0];
  await changeCompany(company.id, { name });
  const { mail } = await requestLink(identityEnv(mailbox), mailbox, company, freshEmail());
  expect(mail.variables.company_name).toBe(mailedName === "slug" ? slug : mailedName);
});

it("stores the mail leased in the row of its request, without another row, claim or read", async () => {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const { db, take } = meterDatabase(env.DB);
  const body = { company_id: company.id, email: freshEmail(), redirect_to: company.origin };
  await callIdentity({ ...env, DB: db }, "/api/v1/magic-link/request", json(body));
  expect(await mailOf(company.id)).toMatchObject({ mail_state: "sent", mail_attempts: 1, mail_sealed: null });
  expect(await readRows(mail_outbox, eq(mail_outbox.company_id, company.id))).toEqual([]);
  const changes = take().filter(({ text }) => !text.startsWith("select"));
  expect(changes.map(({ text }) => text.split('"').slice(0, 2).join(""))).toEqual([
    "insert into sign_in_requests",
    "insert into event_log",
    "update sign_in_requests",
  ]);
});

it("lets the sweep take the mail once the lease of an isolate that died before the handover has ended", async () => {
  const held = hold();
  const { company, status } = await requestAndFail({ ...identityEnv(createMailbox()), EMAIL: held.email });
  expect(status).toBe(200);
  await vi.waitFor(() => expect(held.calls()).toBe(1), { timeout: 10_000 });
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const { id = "" } = (await mailOf(company.id)) ?? {};
  const key = `magic-link-${id}`;
  expect(await mailOf(company.id)).toMatchObject({ mail_state: "waiting", mail_attempts: 1 });
  advance(29);
  await tick(worker, env, "* * * * *");
  expect(keysOf(mailbox, key)).toBe(0);
  advance(2);
  await tick(worker, env, "* * * * *");
  expect(keysOf(mailbox, key)).toBe(1);
  expect(await mailOf(company.id)).toMatchObject({ mail_state: "sent", mail_attempts: 2, mail_sealed: null });
  // The first isolate was only slow, and its late result changes nothing.
  held.release(new Response(null, { status: 422 }));
  await new Promise((resolve) => setTimeout(resolve, 0));
  await tick(worker, env, "* * * * *");
  expect(await mailOf(company.id)).toMatchObject({ mail_state: "sent", mail_error: null });
  expect(await entriesOf(company.id, "identity.auth.magic_link.mail_failed")).toEqual([]);
});

it("expires the mail at its deadline with one event, separate from the event of the request", async () => {
  const { company } = await requestAndFail({ ...identityEnv(createMailbox()), EMAIL: hold().email });
  advance(301);
  const env = identityEnv(createMailbox());
  await Promise.all([tick(worker, env, "* * * * *"), tick(worker, env, "* * * * *")]);
  expect(await mailOf(company.id)).toMatchObject({ mail_state: "expired", mail_sealed: null, mail_lease: null });
  const events = await entriesOf(company.id);
  expect(events.map(({ event_type }) => event_type)).toEqual([
    "identity.auth.magic_link.requested",
    "identity.auth.magic_link.mail_failed",
  ]);
});
