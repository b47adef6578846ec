import { expect, it } from "vitest";
import { credentialOf, operationsOf, readDocument } from "../http/api-document";
import type { Introspect, TestUser } from "../identity/identity-double";
import { freshCompany, readError } from "./sibling";

/** The parts of a service that the suite uses. Identity is a test double. */
type Harness = {
  call: (path: string, init: RequestInit & { bearer: string }) => Promise<Response>;
  token: (user: TestUser) => Promise<string>;
  revoke: (token: string) => void;
  removeMember: (companyId: number, userId: number) => void;
};

/**
 * Checks that no mutation of the OpenAPI document accepts the access token of an owner whose access has ended.
 * `byServiceKey` lists operations that accept only service keys. `headers` are those that a protocol requires before the
 * service checks the credential.
 */
export function checkEndedAccess(
  start: (options?: { introspect: Introspect }) => Promise<Harness & { call: (path: string) => Promise<Response> }>,
  { byServiceKey, headers: protocol = {} }: { byServiceKey: readonly string[]; headers?: Record<string, string> },
): void {
  it("rejects changes by a user who was removed, or signed out, after the token was issued", async () => {
    const service = await start();
    const companyId = freshCompany();
    const [owner, removed, signedOut] = await Promise.all(
      [1, 2, 3].map((offset) => service.token({ companyId, userId: companyId + offset, isOwner: true })),
    );
    if (!owner || !removed || !signedOut) throw new Error("no tokens");
    service.removeMember(companyId, companyId + 2);
    service.revoke(signedOut);
    const mutations = await findMutations(service.call);
    const accepted: Record<"owner" | "removed" | "signedOut", string[]> = { owner: [], removed: [], signedOut: [] };
    for (const { key, method, path } of mutations) {
      const { url, init } = malformedCall({ method, path }, protocol);
      for (const [callerName, bearer] of Object.entries({ owner, removed, signedOut })) {
        const { status } = await service.call(url, { ...init, bearer });
        if (status !== 401) accepted[callerName as keyof typeof accepted].push(key);
      }
    }
    expect({ removed: accepted.removed, signedOut: accepted.signedOut }).toEqual({ removed: [], signedOut: [] });
    // The same requests from an active owner return no 401, except for `byServiceKey`. So the ended access is the reason for
    // the 401.
    const keys = mutations.map(({ key }) => key);
    expect(keys.filter((key) => !accepted.owner.includes(key)).sort()).toEqual([...byServiceKey].sort());
    expect(accepted.owner.length).toBeGreaterThan(0);
  });

  it("rejects changes while identity's introspection is unavailable", async () => {
    const service = await start({ introspect: () => Promise.reject(new Error("unavailable")) });
    const companyId = freshCompany();
    const bearer = await service.token({ companyId, userId: companyId, isOwner: true });
    const others: Record<string, unknown> = {};
    for (const { key, method, path } of await findMutations(service.call)) {
      const { url, init } = malformedCall({ method, path }, protocol);
      const errorCode = await readError(await service.call(url, { ...init, bearer }));
      if (errorCode[0] !== 503 || errorCode[1] !== "service_unavailable") others[key] = errorCode;
    }
    expect(others).toEqual(Object.fromEntries(byServiceKey.map((key) => [key, [401, "unauthorized"]])));
  });
}

/** Returns the mutations that require a credential. */
const findMutations = async (call: (path: string) => Promise<Response>) =>
  operationsOf(await readDocument(call)).filter(
    ({ method, operation }) => method !== "get" && credentialOf(operation) === "required",
  );

/**
 * Returns a request with invalid ids and an invalid body. The service must check the credential before it validates
 * them.
 */
function malformedCall({ method, path }: { method: string; path: string }, protocol: Record<string, string>) {
  const headers = { "content-type": "application/json", ...protocol };
  return {
    url: path.replace(/\{[^}]+\}/g, "nonsense"),
    init: { method: method.toUpperCase(), headers, body: "{" },
  };
}
