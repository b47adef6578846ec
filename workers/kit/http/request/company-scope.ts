import { invalid, Problem } from "../../problem";
import { readBytes } from "./body";

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

/**
 * The company of a call: query, then body, then token. 400 `[invalid]`, `[required]`, `[mismatch]`;
 * 403 `company_mismatch` when it is another than the token's and the caller is no staff.
 */
export function companyScope(input: {
  query?: string | undefined;
  body?: unknown;
  token?: number | null;
  isStaff?: boolean;
}): number {
  const query = input.query === undefined ? undefined : checked(input.query);
  const body = input.body === undefined || input.body === null ? undefined : checkedBody(input.body);
  if (query !== undefined && body !== undefined && query !== body) throw invalid({ company_id: ["mismatch"] });
  const named = query ?? body;
  if (named === undefined) {
    if (input.token === undefined || input.token === null) throw invalid({ company_id: ["required"] });
    return input.token;
  }
  if (input.token !== undefined && named !== input.token && !input.isStaff) throw new Problem("company_mismatch");
  return named;
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
