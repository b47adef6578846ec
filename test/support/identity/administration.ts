import type { IdentityBindings } from "../../../workers/identity/bindings";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  type Mailbox,
  signIn,
} from "./identity";

type JsonResponse = { status: number; body: Record<string, unknown> };
type Call = (method: string, path: string, body?: unknown) => Promise<JsonResponse>;

/** A user who calls the API with a session of a company. */
export type Actor = { id: number; email: string; call: Call; token: string };

/** Returns the status and error code of a response. */
export const codeOf = ({ status, body }: JsonResponse): [number, unknown] => [status, body.error_code];

/** Sends requests with a bearer; an empty response body becomes `{}`. */
export function callAs(env: IdentityBindings, token: string): Call {
  return async (method, path, body) => {
    const response = await callIdentity(env, path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
}

/** Returns a signed-in user of the company. */
export async function createActor(
  env: IdentityBindings,
  mailbox: Mailbox,
  company: { id: number; origin: string },
  fields: Partial<Parameters<typeof createUser>[0]> = {},
): Promise<Actor> {
  const email = fields.email ?? freshEmail();
  const id = await createUser({ email, company: company.id, ...fields });
  const { access_token } = await signIn(env, mailbox, company, email);
  return { id, email, token: access_token, call: callAs(env, access_token) };
}

/** Creates a company with a signed-in owner; `actor` adds a signed-in user, `member` a user without a session. */
export async function createAdministration(overrides: Parameters<typeof createCompany>[0] = {}) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox, {
    AUTH_RATE_LIMIT_MAGIC_LINK: "off",
    AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "off",
    AUTH_RATE_LIMIT_MAGIC_LINK_EMAIL: "off",
  });
  const company = await createCompany(overrides);
  const actor = (fields: Partial<Parameters<typeof createUser>[0]> = {}) => createActor(env, mailbox, company, fields);
  const member = async (fields: Partial<Parameters<typeof createUser>[0]> = {}) => {
    const email = fields.email ?? freshEmail();
    return { id: await createUser({ email, company: company.id, ...fields }), email };
  };
  return { mailbox, env, company, actor, member, owner: await actor({ owner: true }) };
}
