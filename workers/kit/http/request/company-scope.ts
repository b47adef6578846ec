import { invalid, Problem } from "../../problem";
import { readBytes } from "./body";
import { type Parsed, parsed, tryParse, unwrap } from "./parsed";

/** A company id in JSON (integer) or in a query (decimal text); undefined when it is neither. */
function readCompanyId(value: unknown): number | undefined {
  const id = typeof value === "string" && /^[0-9]{1,15}$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}

function checked(value: unknown): number {
  const id = readCompanyId(value);
  if (id === undefined) throw invalid({ company_id: ["invalid"] });
  return id;
}

/** The company that a call names by itself, null when it names none; refused with 400 `company_id: [invalid|mismatch]`. */
export type NamedCompany = Parsed<number | null>;

/** A call that names no company. */
export const noNamedCompany: NamedCompany = parsed(null);

/** Whether a call names no company at all; false for one that cannot be read. */
export const namesNone = (named: NamedCompany) => named.ok && named.value === null;

/** The company that a call names in its query, then in its body. */
export function parseNamedCompany(from: { query?: string | undefined; body?: unknown }): NamedCompany {
  return tryParse(() => {
    const query = from.query === undefined ? null : checked(from.query);
    const body = from.body === undefined || from.body === null ? null : checkedBody(from.body);
    if (query !== null && body !== null && query !== body) throw invalid({ company_id: ["mismatch"] });
    return query ?? body;
  });
}

/**
 * The company of a call: the one that it names, else the token's. 400 `company_id: [required]`; 403 `company_mismatch` when
 * it is another than the token's (null: the token has none; absent: there is no token) and the caller is not staff.
 */
export function requireCompany(named: NamedCompany, caller: { token?: number | null; isStaff?: boolean }): number {
  const { token, isStaff = false } = caller;
  const companyId = unwrap(named);
  if (companyId === null) {
    if (token === undefined || token === null) throw invalid({ company_id: ["required"] });
    return token;
  }
  if (token !== undefined && companyId !== token && !isStaff) throw new Problem("company_mismatch");
  return companyId;
}

/** As `requireCompany`, for a call whose query and body have not been read yet. */
export function companyScope(input: {
  query?: string | undefined;
  body?: unknown;
  token?: number | null;
  isStaff?: boolean;
}): number {
  return requireCompany(parseNamedCompany(input), input);
}

function checkedBody(value: unknown): number {
  if (typeof value === "string") throw invalid({ company_id: ["invalid"] });
  return checked(value);
}

/**
 * 400 `company_id_not_allowed` when a call whose company is the token's alone names one, in its query or as a key of its
 * body. Another fault of the body is no matter here; over 64 KiB is 413.
 */
export async function refuseCompanyId(request: Request): Promise<void> {
  const isNamed =
    new URL(request.url).searchParams.has("company_id") || (await bodyKeys(request)).includes("company_id");
  if (isNamed) throw new Problem("company_id_not_allowed");
}

/** Keys of a JSON object or a form; none for anything else. */
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
    // What cannot be read names no company.
    return [];
  }
}
