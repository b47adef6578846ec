import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  signIn,
} from "./identity";

export const path = "/api/v1/personal-access-tokens";

/** A personal access token as the API returns it. */
export type Pat = {
  id: string;
  user_id: number;
  name: string;
  read_only: boolean;
  access_global_metrics: boolean;
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  use_count: number;
  last_used_network: string | null;
  access_token: string;
};

/** Returns the request headers with a bearer token. */
export const withBearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Returns status, error code and field codes of a response. */
export async function problemOf(response: Response): Promise<unknown[]> {
  const body = await response.json<{ error_code?: string; field_errors?: unknown }>();
  return body.field_errors ? [response.status, body.error_code, body.field_errors] : [response.status, body.error_code];
}

/** Creates a company with a signed-in member, and helpers for token requests with any bearer. */
export async function startTokens(vars: Record<string, string> = {}) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox, { JWT_ACCESS_TOKEN_LIFETIME: "1h", ...vars });
  const company = await createCompany();
  const signInNewUser = async (role: { owner?: boolean; staff?: boolean } = {}) => {
    const email = freshEmail();
    const id = await createUser({ email, company: company.id, ...role });
    return { id, email, ...(await signIn(env, mailbox, company, email)) };
  };
  const member = await signInNewUser();
  const call = (target: string, token: string, init: RequestInit & { ip?: string } = {}) =>
    callIdentity(env, target, {
      ...init,
      headers: { ...withBearer(token), ...(init.headers as Record<string, string>) },
    });
  const send = (method: string, target: string, token: string, body?: unknown) =>
    call(`${path}${target}`, token, body === undefined ? { method } : { ...json(body), method });
  const create = async (body: Record<string, unknown> = {}, token = member.access_token): Promise<Pat> => {
    const response = await send("POST", "", token, body);
    if (response.status !== 201) throw new Error(`no token: ${response.status} ${await response.text()}`);
    return response.json<Pat>();
  };
  const show = async (id: string, token = member.access_token) => (await send("GET", `/${id}`, token)).json<Pat>();
  /** returns the status of a request with that token */
  const statusWith = async (token: string, target = "/api/v1/user") => (await call(target, token)).status;
  return { env, mailbox, company, member, signInNewUser, call, send, create, show, statusWith };
}
