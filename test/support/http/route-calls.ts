import { expect } from "vitest";
import type * as z from "zod";
import type { ErrorTable } from "../../../schemas/errors";
import { type ApiDocument, jsonSchemaOf, type Listed, shapeOf } from "./api-document";
import { propertiesOf } from "./route-inputs";

type Json = Record<string, unknown>;

/** The values of path parameters: one text for every parameter, or texts by name. */
export type InPath = string | Record<string, string>;

/**
 * Facts about an operation that the document does not contain. Each operation needs an entry in the table of its
 * service's test.
 */
export type Facts = {
  /** the lowest role that may make the request; `open` requests have no bearer */
  role: "open" | "member" | "owner" | "staff" | "service" | "operator";
  /** a valid body; required for an operation with a JSON body */
  body?: () => Json | Promise<Json>;
  /** a valid form, for an operation without a JSON body */
  form?: string;
  /** valid bytes, for an operation without JSON or form */
  bytes?: string | Uint8Array<ArrayBuffer>;
  /** headers of the valid request */
  headers?: Record<string, string>;
  /** query of the valid request */
  search?: string;
  /** query parameters whose allowed values also depend on settings or other parameters */
  dependentQueries?: string[];
  /** path values of a row of the tested company; required for a path with a parameter */
  companyRow?: () => InPath | Promise<InPath>;
  /**
   * path values of a row of another company, or null if the parameter names no row; required for a path with a
   * parameter
   */
  foreign?: (() => InPath | Promise<InPath>) | null;
  /** the response for a row of another company, if it is not 404 */
  foreignAnswer?: string;
  /** responses for malformed path values by parameter name, if they are not 404 */
  malformed?: Record<string, string>;
  /** responses for well-formed path values without a row: another error, or a success if the request creates the row */
  unknown?: Record<string, string>;
  /** only the creator of a row can access it; for other members it does not exist */
  isPersonal?: boolean;
  /** statuses of the valid request, if they are not 2xx */
  answers?: number[];
  /** the maximum body size, if it is not 64 KiB */
  maxBytes?: number;
  /** text fields that are not trimmed and that only this response contains */
  onlyInThisResponse?: string[];
  /** text fields that are templates; the response contains the rendered text */
  filled?: string[];
  /** text fields that may have more than 10,000 characters */
  longTexts?: string[];
  /** the body may also be an array */
  acceptsArray?: boolean;
  /** fields whose errors are reported in a 2xx response */
  reported?: string[];
  /** a change that every member may make: even a revoked access token is accepted until it expires */
  acceptsRevokedToken?: boolean;
  /** a limit that settings cannot disable may reject the request */
  isLimited?: boolean;
  /** an invalid credential, if the rate limit does not count requests with valid ones */
  limitedBearer?: string;
  /** path values without a row, if the rate limit does not count requests for existing rows */
  limitedRow?: () => InPath;
  /** a signature instead of a bearer authorizes the request; separate tests cover it */
  isSigned?: boolean;
  /** the response needs no database, or reports its failure in another way */
  needsNoDatabase?: boolean;
  /** the status of every request, decided before the body is read */
  fixedStatus?: number;
  /** the response contains the time, so no two responses are equal */
  isTimed?: boolean;
  /** the body has fields for staff only, so invalid values are also sent as staff */
  hasStaffFields?: boolean;
  /** the response for another company's company_id, if it is not `company_mismatch` */
  foreignCompany?: string;
};

type Init = {
  bearer?: string | undefined;
  body?: BodyInit | undefined;
  type?: string | undefined;
  headers?: Record<string, string> | undefined;
};

type CallService = (method: string, path: string, init: Init) => Promise<Response>;

/** The service under check, and how to send requests to it. */
export type Subject = {
  document: ApiDocument;
  errors: ErrorTable;
  facts: Record<string, Facts>;
  call: CallService;
  /** the same service with every limit set to one request */
  callLimited: CallService;
  /** the same service without its database */
  callWithoutDatabase: CallService;
  /** the company of all bearers except `foreignOwner`, whose company is `foreignCompany` */
  company: number;
  foreignCompany: number;
  bearers: Record<"member" | "owner" | "staff" | "foreignOwner" | "readOnly" | "expired" | "revoked", string> &
    Partial<Record<"service" | "operator", string>>;
  /** whether reads also reject a revoked session */
  readsAreLive: boolean;
  /** whether the service stores companies, so that staff get 404 for an unknown one */
  knowsCompanies: boolean;
};

/** A response; `text` describes request and response in one line. */
export type Answer = { status: number; code: string | undefined; json: unknown; text: string; headers: Headers };

/** The media type of forms. */
export const formType = "application/x-www-form-urlencoded";

/** An operation under check, with the parts of its valid request. */
export type Check = Awaited<ReturnType<typeof prepare>>;

/** Prepares what all checks of an operation share. Fails if the table has no facts about the operation. */
export async function prepare(subject: Subject, listed: Listed) {
  const { key, method, path, operation } = listed;
  const facts = subject.facts[key];
  const schema = jsonSchemaOf(operation.requestBody?.content);
  const parameters = operation.parameters ?? [];
  if (!facts) throw new Error(`${key}: the facts contain no entry`);
  if (schema && !facts.body) throw new Error(`${key}: the facts contain no valid body`);
  if (path.includes("{") && (!facts.companyRow || facts.foreign === undefined))
    throw new Error(`${key}: the facts contain no own or no foreign row`);
  const shapes = new Map<string, z.ZodType>();
  const base = (await facts.body?.()) ?? {};
  const pathValues = (await facts.companyRow?.()) ?? "";
  return {
    subject,
    ...listed,
    facts,
    schema,
    base,
    companyRow: pathValues,
    url: fill(path, pathValues),
    bearer: facts.role === "open" ? undefined : subject.bearers[facts.role],
    bodyShape: schema ? shapeOf(schema, subject.document) : undefined,
    hasQuery: (name: string) => parameters.some((parameter) => parameter.in === "query" && parameter.name === name),
    hasBodyField: (name: string) =>
      schema !== undefined && propertiesOf(schema, subject.document).some(([n]) => n === name),
    isRead: method === "get",
    shapeOfAnswer(status: number): z.ZodType | undefined {
      const answered = jsonSchemaOf(operation.responses[status]?.content);
      if (!answered) return undefined;
      const shape = shapes.get(String(status)) ?? shapeOf(answered, subject.document);
      shapes.set(String(status), shape);
      return shape;
    },
  };
}

/** Returns a path with its parameters replaced. */
export function fill(path: string, value: InPath): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const text = typeof value === "string" ? value : value[name];
    if (text === undefined) throw new Error(`${path}: the facts contain no ${name}`);
    return text;
  });
}

/** Returns a URL with the given query parts. */
export function at(url: string, ...searches: (string | undefined)[]): string {
  const search = searches.filter(Boolean).join("&");
  return search === "" ? url : `${url}?${search}`;
}

/** Changes to the valid request. */
export type Call = {
  method?: string;
  url?: string;
  bearer?: string | undefined;
  json?: Json;
  body?: BodyInit;
  type?: string;
  headers?: Record<string, string>;
};

/**
 * Sends a request. Fails if the response is an internal error, is not documented for the operation, or is an error
 * without a code of the error table.
 */
export async function send(check: Check, call: Call): Promise<Answer> {
  const { subject, operation } = check;
  const { method = check.method, url = at(check.url, check.facts.search) } = call;
  const bearer = "bearer" in call ? call.bearer : check.bearer;
  const json = call.json ?? (call.body === undefined && check.schema ? check.base : undefined);
  const form = call.body === undefined && !check.schema ? check.facts.form : undefined;
  const body = call.body ?? (json ? JSON.stringify(json) : (form ?? check.facts.bytes));
  const type = call.type ?? (json ? "application/json" : form && formType);
  const response = await subject.call(method, url, {
    bearer,
    body,
    type,
    headers: call.headers ?? check.facts.headers,
  });
  const text = await response.text();
  const description = describeCall(method, url, body, response.status, text);
  // 502 means that a provider rejected a test mail; 500 and 503 would be internal errors.
  if ([500, 503].includes(response.status)) expect.fail(description);
  if (response.status !== 405 && !(response.status in operation.responses))
    expect.fail(`status is not documented: ${description}`);
  if (response.status === 401)
    expect(response.headers.get("www-authenticate"), description).toMatch(/^(?:Bearer|Basic)/);
  if (response.status === 429) expect(response.headers.get("retry-after"), description).toMatch(/^[1-9]\d*$/);
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  const value: unknown = isJson && method !== "head" ? JSON.parse(text) : undefined;
  const code = response.status >= 400 && isJson ? expectProblem(subject, response, value, description) : undefined;
  if (response.status < 300 && method === check.method) {
    const result = check.shapeOfAnswer(response.status)?.safeParse(value);
    if (result?.success === false)
      expect.fail(`does not match its schema: ${JSON.stringify(result.error.issues)} ${description}`);
  }
  return { status: response.status, code, json: value, text: description, headers: response.headers };
}

/**
 * Describes a request and its response in one line. A truncated text may end within a surrogate pair, which vitest
 * cannot transfer.
 */
function describeCall(method: string, url: string, body: unknown, status: number, text: string): string {
  return `${method} ${url.slice(0, 160)} ${String(body).slice(0, 500)} -> ${status} ${text.slice(0, 300)}`.replace(
    /\p{Cs}/gu,
    "?",
  );
}

function expectProblem({ errors }: Subject, response: Response, value: unknown, description: string): string {
  const { error_code, request_id } = value as { error_code: string; request_id: string };
  const isInTable = Object.entries(errors).some(
    ([name, entry]) => entry.status === response.status && (entry.code ?? name) === error_code,
  );
  if (!isInTable) expect.fail(`code is not in the error table: ${description}`);
  if (request_id !== response.headers.get("x-request-id"))
    expect.fail(`body and header have different request ids: ${description}`);
  return error_code;
}

/** Expects one of these statuses and codes. */
export async function expectError(check: Check, call: Call, ...codes: string[]): Promise<void> {
  const { status, code, text } = await send(check, call);
  expect(codes, `${codes.join(" or ")}: ${text}`).toContain(`${status} ${code}`);
}

/** Runs the work for all items, in parallel batches. */
export async function inBatches<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const all = [...items];
  for (let start = 0; start < all.length; start += 16) await Promise.all(all.slice(start, start + 16).map(work));
}
