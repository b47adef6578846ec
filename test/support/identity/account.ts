import { and, asc, eq } from "drizzle-orm";
import { expect } from "vitest";
import { event_log, users } from "../../../db/identity/schema";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { signPat } from "../../../workers/identity/caller/credentials/token";
import { services } from "../../../workers/identity/services";
import { selectUser } from "../../../workers/identity/users/profiles/company-user";
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
  signIn,
  type Tokens,
} from "./identity";
import { readRows, storePatRow } from "./rows";

type Company = { id: number; origin: string };

/** A signed-in user with their tokens and a function that sends requests. */
export type TestUser = Awaited<ReturnType<typeof signInMember>>;

/** Returns the status and error code of an error response. */
export async function readError(response: Response): Promise<[number, string]> {
  return [response.status, (await response.json<{ error_code: string }>()).error_code];
}

/** Returns a function that sends requests with a bearer and an optional JSON body. */
export function callerWith(env: IdentityBindings, bearer: string) {
  const headers = { authorization: `Bearer ${bearer}` };
  return (method: string, path: string, body?: unknown): Promise<Response> =>
    callIdentity(env, path, body === undefined ? { method, headers } : { ...json(body, headers), method });
}

/** Signs an address in to a company and returns helpers for its requests. */
export async function signInMember(
  company: Company,
  email: string,
  options: { mailbox?: Mailbox; vars?: Record<string, string> } = {},
) {
  const mailbox = options.mailbox ?? createMailbox();
  const env = identityEnv(mailbox, options.vars ?? {});
  const tokens: Tokens = await signIn(env, mailbox, company, email);
  const [rows] = await readRows(users, eq(users.email, email));
  return { env, mailbox, company, email, tokens, id: rows?.id ?? 0, call: callerWith(env, tokens.access_token) };
}

/** Signs in a new member of a new company. */
export async function signInNewMember(vars: Record<string, string> = {}) {
  return signInMember(await createCompany(), freshEmail(), { vars });
}

/** Creates a personal access token for a user and returns its JWT. */
export async function createPatFor(user: TestUser, options: { readOnly?: boolean } = {}): Promise<string> {
  const { env, company, id } = user;
  const work = services(env, { requestId: "test", log: createLog({ service: "test" }), waitUntil: () => undefined });
  const now = clock.now();
  const row = await storePatRow(company.id, id, {
    read_only: options.readOnly ?? false,
    created_at: now,
    expires_at: Math.ceil(now / 1000 + 3600) * 1000,
  });
  const holder = await work.db.first(selectUser(company.id, id));
  if (!holder) throw new Error("no such user");
  return signPat(work, holder, row);
}

/** Returns events of a type about a user, oldest first. */
export async function eventsOf(companyId: number, type: string, userId: number) {
  const rows = await readRows(
    event_log,
    and(eq(event_log.company_id, companyId), eq(event_log.event_type, type), eq(event_log.user_id, userId)),
    asc(event_log.id),
  );
  return rows.map(({ data, actor }) => ({
    data: JSON.parse(data) as Record<string, unknown>,
    actor: JSON.parse(actor ?? "null") as Record<string, unknown>,
  }));
}

/** Returns the response body of a request that must succeed. */
export async function expectJson<T = Record<string, unknown>>(response: Response, status = 200): Promise<T> {
  const text = await response.text();
  expect(response.status, text.slice(0, 300)).toBe(status);
  return JSON.parse(text) as T;
}
