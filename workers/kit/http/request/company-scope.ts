import { invalid, Problem } from "../../problem";
import { readBytes } from "./body";
import { type Parsed, parsed, tryParse, unwrap } from "./parsed";

/** Reads a company id from JSON (integer) or a query (decimal text); undefined when it is neither. */
function readCompanyId(value: unknown): number | undefined {
  const id = typeof value === "string" && /^[0-9]{1,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}

function requireCompanyId(value: unknown): number {
  const id = readCompanyId(value);
  if (id === undefined) throw invalid({ company_id: ["invalid"] });
  return id;
}

/** The company that a request names, or null. An error is 400 `company_id: [invalid]` or `[mismatch]`. */
export type RequestedCompany = Parsed<number | null>;

/** The value of a request that names no company. */
export const noRequestedCompany: RequestedCompany = parsed(null);

/** Returns whether a request names no company; false when the id is malformed. */
export const isCompanyOmitted = (requested: RequestedCompany) => requested.ok && requested.value === null;

/** Reads the company that a request names in its query or body. If both name one, it must be the same. */
export function parseRequestedCompany(from: { query?: string | undefined; body?: unknown }): RequestedCompany {
  return tryParse(() => {
    const query = from.query === undefined ? null : requireCompanyId(from.query);
    const body = from.body === undefined || from.body === null ? null : requireJsonCompanyId(from.body);
    if (query !== null && body !== null && query !== body) throw invalid({ company_id: ["mismatch"] });
    return query ?? body;
  });
}

/**
 * Returns the company that a request names, or else the token's. Throws 400 `company_id: [required]` without either,
 * and 403 `company_mismatch` when they differ and the caller is not staff. `token` is null for a token without a
 * company, and undefined for a request without a token.
 */
export function requireCompany(
  requested: RequestedCompany,
  caller: { token?: number | null; isStaff?: boolean },
): number {
  const { token, isStaff = false } = caller;
  const companyId = unwrap(requested);
  if (companyId === null) {
    if (token === undefined || token === null) throw invalid({ company_id: ["required"] });
    return token;
  }
  if (token !== undefined && companyId !== token && !isStaff) throw new Problem("company_mismatch");
  return companyId;
}

/** Like `requireCompany`, for a request whose query and body have not been read yet. */
export function companyScope(input: {
  query?: string | undefined;
  body?: unknown;
  token?: number | null;
  isStaff?: boolean;
}): number {
  return requireCompany(parseRequestedCompany(input), input);
}

function requireJsonCompanyId(value: unknown): number {
  if (typeof value === "string") throw invalid({ company_id: ["invalid"] });
  return requireCompanyId(value);
}

/**
 * Rejects a request that names a company where only the token's company may be used. Throws 400
 * `company_id_not_allowed` for `company_id` in the query or as a key of the body. Ignores other errors in the body;
 * throws 413 above 64 KiB.
 */
export async function rejectCompanyId(request: Request): Promise<void> {
  const hasCompanyId =
    new URL(request.url).searchParams.has("company_id") || (await bodyKeys(request)).includes("company_id");
  if (hasCompanyId) throw new Problem("company_id_not_allowed");
}

/** Returns the keys of a JSON object or a form; empty for anything else. */
async function bodyKeys(request: Request): Promise<string[]> {
  const bytes = await readBytes(request, 65_536);
  const type = request.headers.get("content-type") ?? "";
  try {
    if (/^(?:application\/x-www-form-urlencoded|multipart\/form-data)/i.test(type)) {
      return [...(await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData()).keys()];
    }
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null ? Object.keys(value) : [];
  } catch {
    // A malformed body names no company.
    return [];
  }
}
