import { expect } from "vitest";
import { type Answer, at, type Check, formType, inBatches, send } from "./route-calls";
import {
  allowedValues,
  type BadInput,
  badForms,
  badObjects,
  badQueries,
  propertiesOf,
  unusualTexts,
  wrongBodies,
  wrongHeaders,
} from "./route-inputs";

/** Expects the same response with a trailing slash. */
export async function expectSlash(check: Check): Promise<void> {
  // For other changes, `expectValidRequest` has already sent a trailing slash.
  if (!check.isRead && !check.schema) return;
  const call = check.isRead ? {} : { body: "[", type: "application/json" };
  const plain = await send(check, call);
  const slashed = await send(check, { ...call, url: at(`${check.url}/`, check.facts.search) });
  expect([slashed.status, slashed.code], slashed.text).toEqual([plain.status, plain.code]);
}

/** Expects a documented response for any query. */
export async function expectBadQueries(check: Check): Promise<void> {
  await inBatches(badQueries(check.operation), async ({ search }: BadInput) => {
    await send(check, { url: at(check.url, search) });
  });
}

/** Expects a documented response for any value of a documented header. */
export async function expectBadHeaders(check: Check): Promise<void> {
  const headerParameters = (check.operation.parameters ?? []).filter((parameter) => parameter.in === "header");
  const calls = headerParameters.flatMap(({ name }) =>
    wrongHeaders.map((text) => ({ ...check.facts.headers, [name]: text })),
  );
  await inBatches(calls, async (headers) => void (await send(check, { headers })));
}

/**
 * Expects the service to accept the query values that the document allows: both ends of a range, and each value of an
 * enum.
 */
export async function expectAllowedQueries(check: Check): Promise<void> {
  const { operation, url, facts, isRead } = check;
  if (!isRead || facts.answers) return;
  const validQuery = new URLSearchParams(facts.search);
  const allowed = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && !facts.dependentQueries?.includes(parameter.name))
    .flatMap(({ name, schema = {} }) => allowedValues(schema).map((value) => ({ name, value })));
  await inBatches(allowed, async ({ name, value }) => {
    const query = new URLSearchParams(validQuery);
    query.set(name, String(value));
    // The maximum page number depends on the page size.
    if (name === "page" && value !== 1) query.set("page_size", "1");
    const { code, text } = await send(check, { url: at(url, query.toString()) });
    expect(code, `rejected although the document allows it: ${text}`).not.toBe("validation_failed");
  });
}

/** Expects a documented response for any body, and an error for a body that violates the documented schema. */
export async function expectBadBodies(check: Check): Promise<void> {
  const { schema, base, subject, operation, bodyShape, facts } = check;
  const form = operation.requestBody?.content[formType]?.schema;
  if (form) {
    await inBatches(
      badForms(form, subject.document),
      async (body) => void (await send(check, { body, type: formType })),
    );
  }
  if (!schema) return;
  const bodies = wrongBodies.filter((body) => !(facts.acceptsArray && body === "[]"));
  await inBatches(bodies, async (body) => {
    const { status, text } = await send(check, { body, type: "application/json" });
    if (!(facts.isLimited && status === 429)) expect(status, text).toBe(facts.fixedStatus ?? 400);
  });
  const asText = await send(check, { body: JSON.stringify(base), type: "text/plain" });
  if (!(facts.isLimited && asText.status === 429)) expect(asText.status, asText.text).toBe(facts.fixedStatus ?? 415);
  await expectTooLarge(check);
  const callers = facts.hasStaffFields ? [check.bearer, subject.bearers.staff] : [check.bearer];
  const calls = [...badObjects(base, schema, subject.document)].flatMap((invalid) =>
    callers.map((bearer) => ({ invalid, bearer })),
  );
  await inBatches(calls, async ({ invalid, bearer }) => {
    const body = typeof invalid === "string" ? invalid : JSON.stringify(invalid);
    const { status, text } = await send(check, { body, type: "application/json", bearer });
    // The service must reject what the document rejects.
    const result = bodyShape?.safeParse(JSON.parse(body));
    const faults = result?.error?.issues.filter(
      // zod adds a note for unsafe integers, which JSON Schema accepts as integers.
      (issue) => !facts.reported?.includes(String(issue.path[0])) && !("note" in issue),
    );
    if (faults?.length) expect(status, `accepted although its schema rejects it: ${text}`).toBeGreaterThanOrEqual(400);
  });
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
}

/** Expects errors for a body that is not JSON and for one that is too large. */
export async function expectFormChecked(check: Check): Promise<void> {
  const { schema, facts } = check;
  if (!schema) return;
  const { status, text } = await send(check, { body: "{", type: "application/json" });
  if (!(facts.isLimited && status === 429)) expect(status, text).toBe(facts.fixedStatus ?? 400);
  await expectTooLarge(check);
}

async function expectTooLarge(check: Check): Promise<void> {
  const filler = "x".repeat(check.facts.maxBytes ?? 65_536);
  const { status, text } = await send(check, { json: { ...check.base, filler } });
  if (!(check.facts.isLimited && status === 429)) expect(status, text).toBe(check.facts.fixedStatus ?? 413);
}

/**
 * Expects each text to be rejected, or to be stored unchanged except for trimming. Compares the response and the next
 * read.
 */
export async function expectTextsStored(check: Check): Promise<void> {
  const { schema, base, subject, facts } = check;
  if (!schema) return;
  for (const [name, property] of propertiesOf(schema, subject.document)) {
    if (![property.type].flat().includes("string") || property.enum) continue;
    const length = facts.longTexts?.includes(name) ? 1_000_000 : 10_000;
    const long = await send(check, { json: { ...base, [name]: "x".repeat(length) } });
    expect(long.status, `${name} has no maximum length: ${long.text}`).toBeGreaterThanOrEqual(400);
    let isRead = false;
    for (const text of unusualTexts) {
      const response = await send(check, { json: { ...base, [name]: text } });
      if (response.status >= 300) continue;
      const returnedText = fieldOf(response.json, name);
      if (returnedText === undefined || facts.filled?.includes(name)) continue;
      const isOnlyInResponse = facts.onlyInThisResponse?.includes(name) ?? false;
      const expectedJson = JSON.stringify(isOnlyInResponse ? text : text.trim());
      expect(JSON.stringify(returnedText), response.text).toBe(expectedJson);
      const read = isRead || isOnlyInResponse ? undefined : await readAgain(check, response.json);
      isRead = true;
      if (read) expect(JSON.stringify(fieldOf(read.json, name)), read.text).toBe(expectedJson);
    }
  }
}

/** Reads the row that a change has returned, if the document has a GET operation for it. */
async function readAgain(check: Check, changed: unknown): Promise<Answer | undefined> {
  const { path, url, subject } = check;
  const isCreated = check.method === "post";
  const rowPath = isCreated ? `${path}/{id}` : path;
  const operation = subject.document.paths[rowPath]?.get;
  const id = fieldOf(changed, "id");
  if (!operation || (isCreated && id === undefined)) return undefined;
  const reading = { ...check, schema: undefined, operation, shapeOfAnswer: () => undefined };
  return send(reading, { method: "get", url: isCreated ? `${url}/${String(id)}` : url });
}

/** Returns the value of a key at the top of a response or one level below. */
function fieldOf(json: unknown, name: string): unknown {
  if (typeof json !== "object" || json === null) return undefined;
  if (Object.hasOwn(json, name)) return Reflect.get(json, name);
  const inner = Object.values(json).find((value) => typeof value === "object" && value && Object.hasOwn(value, name));
  return inner === undefined ? undefined : Reflect.get(inner as object, name);
}
