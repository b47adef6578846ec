import { env } from "cloudflare:test";
import { expect } from "vitest";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { signPat } from "../../../workers/identity/caller/credentials/token";
import { services } from "../../../workers/identity/services";
import { selectUserByEmail } from "../../../workers/identity/users/profiles/company-user";
import { createLog } from "../../../workers/kit/log";
import { callIdentity, createMailbox, createUser, freshEmail, identityEnv, signIn } from "./identity";
import { changeMemberships, changeUser, entriesOf, storePatRow } from "./rows";

type Company = { id: number; origin: string };

/** A user who signed in to a company; `bearer` is their session's access token. */
export type TestUser = { id: number; email: string; bearer: string };

/** Creates a user of the company and signs them in. */
export async function createTestUser(
  company: Company,
  kind: { owner?: boolean; staff?: boolean } = {},
  vars: Record<string, string> = {},
): Promise<TestUser> {
  const email = freshEmail();
  const id = await createUser({ email, company: company.id, ...kind });
  const mailbox = createMailbox();
  return {
    id,
    email,
    bearer: (
      await signIn(identityEnv(mailbox, { AUTH_RATE_LIMIT_MAGIC_LINK: "10000/min", ...vars }), mailbox, company, email)
    ).access_token,
  };
}

/** Creates a personal access token of the user. */
export async function createPat(company: Company, user: TestUser, isReadOnly: boolean): Promise<string> {
  const bindings = env as unknown as IdentityBindings;
  const log = createLog({ service: "test" });
  const identityServices = services(bindings, { requestId: "test", log, waitUntil: () => undefined });
  const holder = await identityServices.db.first(selectUserByEmail(company.id, user.email));
  if (!holder) throw new Error("no such user");
  return signPat(identityServices, holder, await storePatRow(company.id, user.id, { read_only: isReadOnly }));
}

/** Sends a request with a bearer and, unless it is undefined, a JSON body. */
export async function callAs(
  bearer: string | null,
  method: string,
  path: string,
  body?: unknown,
  bindings: IdentityBindings = identityEnv(createMailbox()),
): Promise<Response> {
  return callIdentity(bindings, path, {
    method,
    headers: {
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Returns the status and error code of a response. */
export async function outcomeOf(pending: Response | Promise<Response>): Promise<string> {
  const response = await pending;
  if (response.status < 400) return String(response.status);
  const { error_code, field_errors } = (await response.json()) as { error_code: string; field_errors?: object };
  return `${response.status} ${error_code}${field_errors ? ` ${JSON.stringify(field_errors)}` : ""}`;
}

type Call = readonly [method: string, path: string, body?: unknown];

/**
 * Expects endpoints for staff and owners to check the stored roles. The tokens of the former owner and the former staff
 * user still claim the old role. Endpoints that accept no `company_id` reject a foreign owner with
 * `company_id_not_allowed`.
 */
export async function expectAdminsOnly(company: Company, other: Company, calls: readonly Call[]): Promise<void> {
  const [member, owner, formerOwner, formerStaff, pending, disabled, foreignOwner] = await Promise.all([
    createTestUser(company),
    createTestUser(company, { owner: true }),
    createTestUser(company, { owner: true }),
    createTestUser(company, { staff: true }),
    createTestUser(company, { owner: true }),
    createTestUser(company, { owner: true }),
    createTestUser(other, { owner: true }),
  ]);
  await changeMemberships(formerOwner.id, { is_owner: false });
  await changeUser(formerStaff.id, { is_staff: false });
  await changeMemberships(pending.id, { state: "pending" });
  await changeUser(disabled.id, { is_active: false });
  const readOnly = await createPat(company, owner, true);
  for (const [method, path, body] of calls) {
    const outcome = (bearer: string | null, target = path) => outcomeOf(callAs(bearer, method, target, body));
    const pathOfCompany = `${path}${path.includes("?") ? "&" : "?"}company_id=${company.id}`;
    const errors = {
      none: await outcome(null),
      nonsense: await outcome("nonsense"),
      member: await outcome(member.bearer),
      formerOwner: await outcome(formerOwner.bearer),
      formerStaff: await outcome(formerStaff.bearer),
      pending: await outcome(pending.bearer),
      disabled: await outcome(disabled.bearer),
      foreignOwner: await outcome(foreignOwner.bearer, pathOfCompany),
      readOnly: await outcome(readOnly),
    };
    expect(errors, `${method} ${path}`).toEqual({
      none: "401 unauthorized",
      nonsense: "401 token_invalid",
      member: "403 forbidden",
      formerOwner: "403 forbidden",
      formerStaff: "403 forbidden",
      pending: "403 access_pending",
      disabled: "401 token_invalid",
      foreignOwner: expect.stringMatching(/^(403 company_mismatch|400 company_id_not_allowed)$/),
      readOnly: method === "GET" ? "200" : "403 pat_read_only",
    });
  }
}

/** Returns the events of a company whose type starts with `type`, oldest first. */
export async function changesOf(company: Company, type: string) {
  return (await entriesOf(company.id, type)).map(({ event_type, user_id, data, actor }) => ({
    type: event_type,
    user_id,
    data: JSON.parse(data) as Record<string, unknown>,
    actor: JSON.parse(actor ?? "null") as Record<string, unknown>,
  }));
}
