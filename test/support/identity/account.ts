import { expect } from "vitest";
import { findPerson } from "../../../workers/identity/account/person.store";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { signPat } from "../../../workers/identity/caller/token";
import { services } from "../../../workers/identity/services";
import { clock } from "../../../workers/kit/clock";
import { createLog } from "../../../workers/kit/log";
import {
  callIdentity,
  createCompany,
  createMailbox,
  freshEmail,
  identityEnv,
  json,
  type Mailbox,
  rows,
  signIn,
  type Tokens,
} from "./identity";

type Company = { id: number; origin: string };

/** One person's way to the API, with the credential they hold. */
export type Person = Awaited<ReturnType<typeof enter>>;

/** Status and error code of a refusal. */
export async function refusal(response: Response): Promise<[number, string]> {
  return [response.status, (await response.json<{ error_code: string }>()).error_code];
}

/** Calls with a bearer; a body makes it a JSON call. */
export function callerWith(env: IdentityBindings, bearer: string) {
  const headers = { authorization: `Bearer ${bearer}` };
  return (method: string, path: string, body?: unknown): Promise<Response> =>
    callIdentity(env, path, body === undefined ? { method, headers } : { ...json(body, headers), method });
}

/** Signs an address in to a company and gives their calls. */
export async function enter(
  company: Company,
  email: string,
  options: { mailbox?: Mailbox; vars?: Record<string, string> } = {},
) {
  const mailbox = options.mailbox ?? createMailbox();
  const env = identityEnv(mailbox, options.vars ?? {});
  const tokens: Tokens = await signIn(env, mailbox, company, email);
  const [found] = await rows<{ id: number }>("SELECT id FROM users WHERE email = ?", email);
  return { env, mailbox, company, email, tokens, id: found?.id ?? 0, call: callerWith(env, tokens.access_token) };
}

/** A new member of a company of their own, signed in. */
export async function newMember(vars: Record<string, string> = {}) {
  return enter(await createCompany(), freshEmail(), { vars });
}

/** A personal access token of a member, as its row says. */
export async function givePat(person: Person, options: { readOnly?: boolean } = {}): Promise<string> {
  const { env, company, id } = person;
  const work = services(env, { requestId: "test", log: createLog({ service: "test" }), waitUntil: () => undefined });
  const now = clock.now();
  const row = {
    id: crypto.randomUUID(),
    company_id: company.id,
    jti: crypto.randomUUID().replaceAll("-", ""),
    read_only: options.readOnly ?? false,
    access_global_metrics: false,
    expires_at: Math.ceil(now / 1000 + 3600) * 1000,
  };
  await rows(
    `INSERT INTO personal_access_tokens (id, company_id, user_id, jti, read_only, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.company_id,
    id,
    row.jti,
    Number(row.read_only),
    now,
    row.expires_at,
  );
  const holder = await work.db.first(findPerson({ companyId: company.id, userId: id }));
  if (!holder) throw new Error("no such person");
  return signPat(work, holder, row);
}

/** Events of a type about a user, oldest first. */
export async function eventsOf(companyId: number, type: string, userId: number) {
  const found = await rows<{ data: string; actor: string }>(
    "SELECT data, actor FROM event_log WHERE company_id = ? AND event_type = ? AND user_id = ? ORDER BY id",
    companyId,
    type,
    userId,
  );
  return found.map(({ data, actor }) => ({
    data: JSON.parse(data) as Record<string, unknown>,
    actor: JSON.parse(actor) as Record<string, unknown>,
  }));
}

/** The answer of a call that must succeed. */
export async function answer<T = Record<string, unknown>>(response: Response, status = 200): Promise<T> {
  const text = await response.text();
  expect(response.status, text.slice(0, 300)).toBe(status);
  return JSON.parse(text) as T;
}
