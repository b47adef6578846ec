import { expect } from "vitest";
import { createCompany, createKey, type EmailHarness } from "./email";

type AdminCall = { method: string; path: string; json?: unknown; staffOnly?: boolean };

/**
 * Returns tokens of a new company's owner and member, and of a staff user. Each has a different user id, so they share
 * no rate limit per user.
 */
export async function startCompany(email: EmailHarness) {
  const companyId = createCompany();
  return {
    companyId,
    owner: await email.token({ companyId, isOwner: true, userId: companyId }),
    member: await email.token({ companyId, userId: companyId + 1_000_000_000 }),
    staff: await email.token({ isStaff: true, userId: companyId + 2_000_000_000, email: "staff@platform.example.com" }),
  };
}

/** Sends a request with any method; without `json` it has no body. */
export function send(email: EmailHarness, bearer: string | undefined, call: AdminCall): Promise<Response> {
  return email.call(call.path, {
    method: call.method,
    ...(bearer === undefined ? {} : { bearer }),
    ...(call.json === undefined ? {} : { json: call.json }),
  });
}

/** Returns the status, error code and field codes of an error response. */
export async function problemOf(response: Response): Promise<unknown[]> {
  const body = (await response.json()) as { error_code?: string; field_errors?: unknown };
  return body.field_errors === undefined
    ? [response.status, body.error_code]
    : [response.status, body.error_code, body.field_errors];
}

/** Expects the authentication and authorization errors that all admin routes share. */
export async function expectGuards(email: EmailHarness, call: AdminCall): Promise<void> {
  const { companyId, owner, member } = await startCompany(email);
  const separator = call.path.includes("?") ? "&" : "?";
  const at = (id: unknown) => ({ ...call, path: `${call.path}${separator}company_id=${id}` });
  const none = await send(email, undefined, call);
  expect(none.headers.get("www-authenticate")).toBe("Bearer");
  expect(await problemOf(none)).toEqual([401, "unauthorized"]);
  const { key } = await createKey({ service: "identity" });
  expect(await problemOf(await send(email, key, call))).toEqual([401, "unauthorized"]);
  expect(await problemOf(await send(email, "not-a-token", call))).toEqual([401, "unauthorized"]);
  expect(await problemOf(await send(email, member, call))).toEqual([403, "forbidden"]);
  expect(await problemOf(await send(email, owner, at(companyId + 500)))).toEqual([403, "company_mismatch"]);
  for (const bad of ["0", "abc", "1.5", "%00"]) {
    expect(await problemOf(await send(email, owner, at(bad)))).toEqual([
      400,
      "validation_failed",
      { company_id: ["invalid"] },
    ]);
  }
  if (call.staffOnly) expect(await problemOf(await send(email, owner, call))).toEqual([403, "forbidden"]);
  if (call.method !== "GET") {
    const pat = await email.token({ companyId, isOwner: true, isStaff: true, pat: { readOnly: true } });
    expect(await problemOf(await send(email, pat, call))).toEqual([403, "pat_read_only"]);
  }
}
