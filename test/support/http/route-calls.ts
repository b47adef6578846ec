import { expect } from "vitest";
import type * as z from "zod";
import type { ErrorTable } from "../../../schemas/errors";
import { type ApiDocument, jsonSchemaOf, type Listed, shapeOf } from "./api-document";
import { propertiesOf } from "./route-inputs";

type Json = Record<string, unknown>;

/** What stands in a path: one text for whatever parameter it has, or the text of each by its name. */
export type InPath = string | Record<string, string>;

/** What the document cannot say of an operation; each operation has a row in the table of its service's test. */
export type Facts = {
  /** the least that a caller must be; `open` calls carry no bearer */
  role: "open" | "member" | "owner" | "staff" | "service" | "operator";
  /** a body that is right; owed by an operation that takes a JSON body */
  body?: () => Json | Promise<Json>;
  /** the form of a right call of an operation that takes no JSON */
  form?: string;
  /** the bytes of a right call of an operation that takes neither */
  bytes?: string | Uint8Array<ArrayBuffer>;
  /** headers of a right call */
  headers?: Record<string, string>;
  /** query of a right call */
  search?: string;
  /** parameters of the query over which more decides than the document can say: settings, and other parameters */
  settled?: string[];
  /** the value in the path: a row of the subject's company; owed by a path with a parameter */
  own?: () => InPath | Promise<InPath>;
  /** a row of another company, or null where the parameter names none; owed by a path with a parameter */
  foreign?: (() => InPath | Promise<InPath>) | null;
  /** what a row of another company is answered with, when it is no 404 */
  foreignAnswer?: string;
  /** what is answered to a text that the document refuses, by the name of the parameter that has it, when it is no 404 */
  malformed?: Record<string, string>;
  /** the same of a right one that names no row: another refusal, or a success where it names what is made */
  unknown?: Record<string, string>;
  /** a row is its maker's: others of the company have no such row */
  isPersonal?: boolean;
  /** statuses of a right call, where they are no success */
  answers?: number[];
  /** the largest body that is read, where it is not 64 KiB */
  maxBytes?: number;
  /** texts that are kept as they are, ends included, and shown by this answer alone */
  shownOnce?: string[];
  /** texts that are templates: the answer shows what becomes of them */
  filled?: string[];
  /** an array alone is a body too */
  takesList?: boolean;
  /** fields in which a fault is told in the answer of a success */
  reported?: string[];
  /** a change that every member may make: an access token holds until it expires */
  admitsRevoked?: boolean;
  /** a limit that no setting lifts may answer instead */
  isLimited?: boolean;
  /** a credential that its limit counts, where that does not count valid ones */
  limitedBearer?: string;
  /** what admits a call is no bearer, and its own tests have it */
  isSigned?: boolean;
  /** it answers without its database, or tells of it in its own way */
  needsNoDatabase?: boolean;
  /** the status of every call, given before a body is read */
  early?: number;
  /** the answer tells the time, so that no two are alike */
  isTimed?: boolean;
  /** a body may hold fields that only staff may give: bad ones are tried as staff too */
  hasStaffFields?: boolean;
  /** a company_id that the caller may not name is no `company_mismatch` here but this */
  foreignCompany?: string;
};

type Init = {
  bearer?: string | undefined;
  body?: BodyInit | undefined;
  type?: string | undefined;
  headers?: Record<string, string> | undefined;
};

type CallService = (method: string, path: string, init: Init) => Promise<Response>;

/** How the check reaches a service. */
export type Subject = {
  document: ApiDocument;
  errors: ErrorTable;
  facts: Record<string, Facts>;
  call: CallService;
  /** the same service with every limit at one call */
  callLimited: CallService;
  /** the same service without its database */
  callWithoutDatabase: CallService;
  /** the company of the bearers, and that of `foreignOwner` */
  company: number;
  foreignCompany: number;
  bearers: Record<"member" | "owner" | "staff" | "foreignOwner" | "readOnly" | "expired" | "revoked", string> &
    Partial<Record<"service" | "operator", string>>;
  /** whether a revoked session is noticed by reads too */
  readsAreLive: boolean;
  /** whether the service knows the companies, so that staff get 404 for an unknown one */
  knowsCompanies: boolean;
};

/** An answer; `text` tells the call and it in a line. */
export type Answer = { status: number; code: string | undefined; json: unknown; text: string; headers: Headers };

/** The media type of forms. */
export const formType = "application/x-www-form-urlencoded";

/** An operation under check, with what its right call is made of. */
export type Check = Awaited<ReturnType<typeof prepare>>;

/** Makes ready what the checks of an operation share; an operation that the table does not describe fails. */
export async function prepare(subject: Subject, listed: Listed) {
  const { key, method, path, operation } = listed;
  const facts = subject.facts[key];
  const schema = jsonSchemaOf(operation.requestBody?.content);
  const parameters = operation.parameters ?? [];
  if (!facts) throw new Error(`${key}: the table has no row`);
  if (schema && !facts.body) throw new Error(`${key}: the table has no right body`);
  if (path.includes("{") && (!facts.own || facts.foreign === undefined))
    throw new Error(`${key}: the table has no own or no foreign row`);
  const shapes = new Map<string, z.ZodType>();
  const base = (await facts.body?.()) ?? {};
  const own = (await facts.own?.()) ?? "";
  return {
    subject,
    ...listed,
    facts,
    schema,
    base,
    own,
    url: fill(path, own),
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

/** A path with its parameters filled in. */
export function fill(path: string, value: InPath): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const text = typeof value === "string" ? value : value[name];
    if (text === undefined) throw new Error(`${path}: the table has no ${name}`);
    return text;
  });
}

/** A URL with those of the searches that there are. */
export function at(url: string, ...searches: (string | undefined)[]): string {
  const search = searches.filter(Boolean).join("&");
  return search === "" ? url : `${url}?${search}`;
}

/** What differs from the right call. */
export type Call = {
  method?: string;
  url?: string;
  bearer?: string | undefined;
  json?: Json;
  body?: BodyInit;
  type?: string;
  headers?: Record<string, string>;
};

/** Makes a call; whatever it is answered is coded, documented for its operation, and no fault of the service. */
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
  const what = describeCall(method, url, body, response.status, text);
  // 502 is a provider that refuses a test mail; 500 and 503 would be faults of the service.
  if ([500, 503].includes(response.status)) expect.fail(what);
  if (response.status !== 405 && !(response.status in operation.responses)) expect.fail(`not documented: ${what}`);
  if (response.status === 401) expect(response.headers.get("www-authenticate"), what).toMatch(/^(?:Bearer|Basic)/);
  if (response.status === 429) expect(response.headers.get("retry-after"), what).toMatch(/^[1-9]\d*$/);
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  const value: unknown = isJson && method !== "head" ? JSON.parse(text) : undefined;
  const code = response.status >= 400 && isJson ? expectProblem(subject, response, value, what) : undefined;
  if (response.status < 300 && method === check.method) {
    const result = check.shapeOfAnswer(response.status)?.safeParse(value);
    if (result?.success === false) expect.fail(`not of its schema: ${JSON.stringify(result.error.issues)} ${what}`);
  }
  return { status: response.status, code, json: value, text: what, headers: response.headers };
}

/** A call and its answer in a line; cut texts may end within a character, which the runner's wire does not take. */
function describeCall(method: string, url: string, body: unknown, status: number, text: string): string {
  return `${method} ${url.slice(0, 160)} ${String(body).slice(0, 500)} -> ${status} ${text.slice(0, 300)}`.replace(
    /\p{Cs}/gu,
    "?",
  );
}

function expectProblem({ errors }: Subject, response: Response, value: unknown, what: string): string {
  const { error_code, request_id } = value as { error_code: string; request_id: string };
  const isKnown = Object.entries(errors).some(
    ([name, entry]) => entry.status === response.status && (entry.code ?? name) === error_code,
  );
  if (!isKnown) expect.fail(`no code of the table: ${what}`);
  if (request_id !== response.headers.get("x-request-id")) expect.fail(`another request id: ${what}`);
  return error_code;
}

/** Expects one of these statuses with its code. */
export async function expectRefusal(check: Check, call: Call, ...codes: string[]): Promise<void> {
  const { status, code, text } = await send(check, call);
  expect(codes, `${codes.join(" or ")}: ${text}`).toContain(`${status} ${code}`);
}

/** Runs the work on all items, some at a time. */
export async function inBatches<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const all = [...items];
  for (let start = 0; start < all.length; start += 16) await Promise.all(all.slice(start, start + 16).map(work));
}
