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

/** Asks for a link whose mail `hold` gets to the email service, and does not wait for what follows the answer. */
async function requestAndFail(env: IdentityBindings) {
  const company = await createCompany();
  const body = { company_id: company.id, email: freshEmail(), redirect_to: company.origin };
  const init = json(body, { "cf-connecting-ip": freshIp() });
  const request = new Request("http://localhost:8787/api/v1/magic-link/request", init);
  const response = await worker.fetch(request as never, env, createExecutionContext());
  await response.arrayBuffer();
  return { company, status: response.status };
}

/** A call of the email service that does not come back before it is told to. */
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
])("names the company of an older row, %j, as names are shown now", async (name, shown) => {
  const mailbox = createMailbox();
  const company = await createCompany();
  const slug = new URL(company.origin).hostname.split(".")[0];
  await changeCompany(company.id, { name });
  const { mail } = await requestLink(identityEnv(mailbox), mailbox, company, freshEmail());
  expect(mail.variables.company_name).toBe(shown === "slug" ? slug : shown);
});

it("is stored claimed in the row of its request, and needs no other row, claim or reading", async () => {
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

it("is taken by the sweep once the lease of an isolate that died before handing it over has ended", async () => {
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
  // The first isolate was only slow: its late answer changes nothing.
  held.release(new Response(null, { status: 422 }));
  await new Promise((resolve) => setTimeout(resolve, 0));
  await tick(worker, env, "* * * * *");
  expect(await mailOf(company.id)).toMatchObject({ mail_state: "sent", mail_error: null });
  expect(await entriesOf(company.id, "identity.auth.magic_link.mail_failed")).toEqual([]);
});

it("ends at its deadline with one event, which is not the event of the request", async () => {
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
