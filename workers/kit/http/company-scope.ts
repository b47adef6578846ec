import { invalid, Problem } from "../problem";

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
 * The company of a call: query, then body, then token (details 1.2, 1.3). 400 `[invalid]`, `[required]`, `[mismatch]`;
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
