import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { sql } from "drizzle-orm";
import { companies, memberships, oauth_redirects, preferences, users } from "../../../db/identity/schema";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import worker from "../../../workers/identity/worker";
import { db, membershipOf, redirectOf, runTogether } from "./rows";

/** The body of a request to the email service. */
export type SentMail = {
  company_id: number;
  idempotency_key: string;
  to: { email: string; user_id?: number }[];
  language: string;
  variables: Record<string, string>;
  use_platform_sender?: boolean;
  template_key: string;
};

/** Creates a controllable double of the email service's API; `answers` are returned in order, then 202. */
export function createMailbox(answers: (Response | Error)[] = []) {
  const sent: SentMail[] = [];
  const keys: string[] = [];
  return {
    sent,
    keys,
    answers,
    fetch: async (_url: string, init: RequestInit): Promise<Response> => {
      const body = JSON.parse(String(init.body)) as SentMail;
      keys.push(body.idempotency_key);
      const nextAnswer = answers.shift();
      if (nextAnswer instanceof Error) throw nextAnswer;
      if (nextAnswer) return nextAnswer;
      sent.push(body);
      return Response.json({ messages: [] }, { status: 202 });
    },
  };
}

export type Mailbox = ReturnType<typeof createMailbox>;

let nextAddress = 0;

/** Returns a unique client address, so that per-IP limits of tests do not interfere. */
export function freshIp(): string {
  nextAddress += 1;
  return `198.18.${(nextAddress >> 8) & 255}.${nextAddress & 255}`;
}

/** Returns the Worker's environment with a mailbox and changed settings. */
export function identityEnv(mailbox: Mailbox, vars: Record<string, string | undefined> = {}): IdentityBindings {
  return { ...(env as unknown as IdentityBindings), EMAIL: mailbox as unknown as Fetcher, ...vars };
}

/** Sends a request to the Worker and waits for its background work. */
export async function callIdentity(
  bindings: IdentityBindings,
  path: string,
  init: RequestInit & { ip?: string } = {},
  base = "http://localhost:8787",
): Promise<Response> {
  const { ip = freshIp(), ...requestInit } = init;
  const headers = new Headers(requestInit.headers);
  headers.set("cf-connecting-ip", ip);
  const request = new Request(`${base}${path}`, { redirect: "manual", ...requestInit, headers });
  const ctx = createExecutionContext();
  const response = await worker.fetch(request as never, bindings, ctx);
  const body = await response.arrayBuffer();
  await waitOnExecutionContext(ctx);
  return new Response([204, 304, 302].includes(response.status) ? null : body, response);
}

/** Returns the options of a JSON POST request. */
export function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } };
}

let created = 0;

/** Creates a new company for one test. */
export async function createCompany(
  overrides: {
    access_mode?: "public" | "domain" | "invite";
    domains?: string[];
    enable_magic_link?: boolean;
    is_active?: boolean;
  } = {},
): Promise<{ id: number; origin: string }> {
  created += 1;
  const slug = `company-${created}-${crypto.randomUUID().slice(0, 8)}`;
  const origin = `https://${slug}.example.com`;
  const { domains = [], ...fields } = overrides;
  // The database is reset for each test file, but counters by company id in the isolate's memory are not, so ids are
  // never reused.
  const id = created * 1000;
  const row = { id, name: `Aster ${created}`, slug, allowed_email_domains: domains, ...fields };
  await runTogether(
    db.insert(companies).values({ ...row, created_at: 1, updated_at: 1 }),
    db.insert(oauth_redirects).values(redirectOf({ id }, origin)),
  );
  return { id, origin };
}

/** Creates a user, with a membership if a company is given. */
export async function createUser(input: {
  email: string;
  company?: number;
  state?: "allowed" | "pending" | "denied";
  reason?: "join_rule" | "admin" | "scim";
  owner?: boolean;
  staff?: boolean;
  active?: boolean;
  language?: string;
}): Promise<number> {
  const { email, company, state = "allowed", reason = "join_rule", owner = false, language } = input;
  const user = {
    email,
    username: email,
    first_name: "Mina",
    is_active: input.active ?? true,
    is_staff: input.staff ?? false,
    created_at: 1,
    updated_at: 1,
  };
  // The rows of a batch cannot contain an id that the batch creates.
  const user_id = sql<number>`(select ${users.id} from ${users} where ${users.email} = ${email})` as unknown as number;
  const membership = { state, state_reason: reason, is_owner: owner };
  const [rows] = await runTogether(
    db.insert(users).values(user).returning(),
    ...(company ? [db.insert(memberships).values(membershipOf(company, user_id, membership))] : []),
    ...(language ? [db.insert(preferences).values({ user_id, language, updated_at: 1 })] : []),
  );
  const id = rows[0]?.id;
  if (id === undefined) throw new Error("the user was not stored");
  return id;
}

/** Returns a unique address. */
export function freshEmail(domain = "example.com"): string {
  return `u${crypto.randomUUID().slice(0, 12)}@${domain}`;
}

/** Requests a magic link and returns the variables of the mail. */
export async function requestLink(
  bindings: IdentityBindings,
  mailbox: Mailbox,
  company: { id: number; origin: string },
  email: string,
  fields: Record<string, unknown> = {},
): Promise<{ token: string; code: string; response: Response; mail: SentMail }> {
  const body = { company_id: company.id, email, redirect_to: `${company.origin}/login/callback`, ...fields };
  const response = await callIdentity(bindings, "/api/v1/magic-link/request", json(body));
  const mail = mailbox.sent.at(-1);
  if (!mail) throw new Error(`no mail: ${response.status} ${await response.text()}`);
  const link = new URL(mail.variables.magic_link_url ?? "");
  return { token: link.searchParams.get("token") ?? "", code: mail.variables.sign_in_code ?? "", response, mail };
}

/** The token payload of a signed-in user. */
export type Tokens = {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  expires_at: number;
  provider: string;
};

/** Signs a user in and returns the tokens. */
export async function signIn(
  bindings: IdentityBindings,
  mailbox: Mailbox,
  company: { id: number; origin: string },
  email: string,
): Promise<Tokens> {
  const { token } = await requestLink(bindings, mailbox, company, email);
  const response = await callIdentity(bindings, "/api/v1/magic-link/verify", json({ token, company_id: company.id }));
  if (response.status !== 200) throw new Error(`sign-in failed: ${response.status} ${await response.text()}`);
  return response.json<Tokens>();
}
