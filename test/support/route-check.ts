import { expect } from "vitest";
import type { ErrorTable } from "../../schemas/errors";

/** The part of an OpenAPI 3.1 document that the check reads. */
export type ApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};
type Operation = {
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
};
type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
};

/** How the check reaches a service. `bases`: a body that is right, by path, so that one wrong value is the only fault. */
export type Subject = {
  document: ApiDocument;
  errors: ErrorTable;
  call(method: string, path: string, init: { bearer?: string; body?: BodyInit; type?: string }): Promise<Response>;
  bearers: string[];
  bases?: Record<string, Record<string, unknown>>;
  /** ids of rows that are there, by path; a nil uuid stands for the others */
  ids?: Record<string, number | string>;
};

const nilId = "00000000-0000-4000-8000-000000000000";

const methods = ["get", "post", "put", "patch", "delete"];

const wrongValues: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  "",
  "x",
  "1",
  " \u0000\u0007\r\n\u202e ",
  "𝒳é\ud800",
  "x".repeat(10_000),
  [],
  [null],
  {},
  { __proto__: null, constructor: 1 },
];
const wrongTexts = [
  "",
  "0",
  "-1",
  "abc",
  "1e3",
  "99999999999999999999",
  "%00",
  "%F0%9D%92%B3",
  "a".repeat(3000),
  "1,2",
  "'--",
];
const wrongBodies = ["", "{", "[]", "null", '"x"', "1", "\ufeff{}", `${"[".repeat(20_000)}`, '{"a":1}}'];

function propertiesOf(schema: Schema, document: ApiDocument): string[] {
  const resolved = schema.$ref ? (document.components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;
  const nested = [...(resolved.anyOf ?? []), ...(resolved.allOf ?? []), ...(resolved.oneOf ?? [])];
  return [
    ...new Set([...Object.keys(resolved.properties ?? {}), ...nested.flatMap((one) => propertiesOf(one, document))]),
  ];
}

/** Every answer is coded, documented for its operation, names the request, and is no fault of the service. */
async function expectCoded(subject: Subject, operation: Operation, what: string, response: Response): Promise<void> {
  const text = await response.text();
  // 502 is a provider that refuses a test mail; 500 and 503 would be faults of the service.
  expect([500, 503], `${what} -> ${text.slice(0, 200)}`).not.toContain(response.status);
  expect(Object.keys(operation.responses), what).toContain(String(response.status));
  if (response.status < 400 || !(response.headers.get("content-type") ?? "").startsWith("application/json")) return;
  const body = JSON.parse(text) as { error_code: string; request_id: string };
  const wire = Object.entries(subject.errors).map(([key, entry]) => `${entry.status} ${entry.code ?? key}`);
  expect(wire, what).toContain(`${response.status} ${body.error_code}`);
  expect(body.request_id, what).toBe(response.headers.get("x-request-id"));
}

function fillPath(path: string, value: string): string {
  return path.replace(/\{[^}]+\}/g, value);
}

/** Calls of bad input for one operation, each with one fault. */
function* badCalls(subject: Subject, path: string, operation: Operation) {
  const base = subject.bases?.[path] ?? {};
  const json = operation.requestBody?.content["application/json"]?.schema;
  const url = fillPath(path, String(subject.ids?.[path] ?? nilId));
  if (path.includes("{"))
    for (const value of wrongTexts) yield { url: fillPath(path, value || "%20"), body: undefined, type: undefined };
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in !== "query") continue;
    for (const value of wrongTexts)
      yield { url: `${url}?${parameter.name}=${value}`, body: undefined, type: undefined };
  }
  if (!json) return;
  for (const body of wrongBodies) yield { url, body, type: "application/json" };
  yield { url, body: JSON.stringify(base), type: "text/plain" };
  yield { url, body: JSON.stringify({ ...base, filler: "x".repeat(70_000) }), type: "application/json" };
  for (const name of propertiesOf(json, subject.document)) {
    for (const value of wrongValues)
      yield { url, body: JSON.stringify({ ...base, [name]: value }), type: "application/json" };
  }
}

/** The operations of a document, so that none is left out of a test. */
export function operationsOf(document: ApiDocument): { method: string; path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
}

/** What every operation owes: 401 without and with a bad bearer, 405 with Allow, and a coded answer to any bad input. */
export async function checkOperation(
  subject: Subject,
  method: string,
  path: string,
  operation: Operation,
): Promise<void> {
  const url = fillPath(path, String(subject.ids?.[path] ?? nilId));
  const needsBearer = operation.security?.length && operation.security.every((one) => Object.keys(one).length > 0);
  if (needsBearer) {
    for (const bearer of [undefined, "nonsense", "esk_nonsense", "a.b.c"]) {
      const response = await subject.call(method, url, bearer ? { bearer } : {});
      expect(response.status, `${method} ${path} with ${bearer}`).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
  }
  const declared = Object.keys(subject.document.paths[path] ?? {});
  const other = methods.find((one) => !declared.includes(one)) ?? "delete";
  const refused = await subject.call(other, url, {});
  expect([refused.status, refused.headers.has("allow")], `${other} ${path}`).toEqual([405, true]);
  for (const bearer of needsBearer ? subject.bearers : [undefined]) {
    for (const { url: target, body, type } of badCalls(subject, path, operation)) {
      const init = {
        ...(bearer ? { bearer } : {}),
        ...(body === undefined ? {} : { body }),
        ...(type ? { type } : {}),
      };
      const response = await subject.call(method, target, init);
      await expectCoded(
        subject,
        operation,
        `${method} ${target.slice(0, 120)} ${String(body).slice(0, 120)}`,
        response,
      );
    }
  }
}
