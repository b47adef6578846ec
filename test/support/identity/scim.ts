import { expect } from "vitest";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { createAdministration } from "./administration";
import { callIdentity, createCompany, createMailbox, freshEmail, identityEnv } from "./identity";
import { storeScimToken } from "./rows";

/** A SCIM response: its status and body. The body is `{}` when there is none. */
export type ScimResponse = { status: number; headers: Headers; body: Record<string, unknown> };

/** Sends a SCIM request with this token. `path` is below the base of the company. */
export async function callScim(
  env: IdentityBindings,
  { base, token }: { base: string; token: string | null },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ScimResponse> {
  const response = await callIdentity(env, base + path, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}

/** Creates a company with an owner and a SCIM token. `scim` sends requests of its directory. */
export async function createDirectory(...options: Parameters<typeof createAdministration>) {
  const administration = await createAdministration(...options);
  const { status, body } = await administration.owner.call("POST", "/api/v1/scim/tokens", { name: "Directory" });
  if (status !== 201) throw new Error(`no token: ${status}`);
  const token = String(body.token);
  const base = `/api/v1/companies/${administration.company.id}/scim/v2`;
  return {
    ...administration,
    base,
    token,
    scim: (method: string, path: string, body_?: unknown) =>
      callScim(administration.env, { base, token }, method, path, body_),
  };
}

export type Directory = Awaited<ReturnType<typeof createDirectory>>;

/** Creates a company with a SCIM token, without users. `scim` sends requests of its directory. */
export async function createBareDirectory(vars: Record<string, string> = {}) {
  const env = identityEnv(createMailbox(), vars);
  const company = await createCompany();
  const { token } = await storeScimToken(company);
  const base = `/api/v1/companies/${company.id}/scim/v2`;
  const scim = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    callScim(env, { base, token }, method, path, body, headers);
  return { env, company, base, token, scim };
}

export type BareDirectory = Awaited<ReturnType<typeof createBareDirectory>>;

/** Returns the body of a PATCH. */
export const patchOf = (...operations: object[]) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations: operations,
});

/** Creates a user whose external id is the user name, and returns the id. */
export async function createScimUser({ scim }: Pick<BareDirectory, "scim">, userName = freshEmail()): Promise<string> {
  const { status, body } = await scim("POST", "/Users", { userName, externalId: userName });
  expect(status).toBe(201);
  return String(body.id);
}

/** Creates a group with these members and returns the id. */
export async function createScimGroup({ scim }: Pick<BareDirectory, "scim">, ...members: string[]): Promise<string> {
  const displayName = crypto.randomUUID();
  const { status, body } = await scim("POST", "/Groups", { displayName, members: members.map((value) => ({ value })) });
  expect(status).toBe(201);
  return String(body.id);
}

/** Compares a response with an error in the SCIM error schema. */
export function expectScimError(
  { status, headers, body }: ScimResponse,
  expected: { status: number; error_code: string; scimType?: string },
): void {
  expect(headers.get("content-type")).toBe("application/scim+json");
  expect({ ...body, status }).toEqual({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    detail: expect.any(String),
    request_id: headers.get("x-request-id"),
    ...expected,
  });
  expect(body.status).toBe(String(expected.status));
}
