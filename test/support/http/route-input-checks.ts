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

/** A trailing slash means nothing. */
export async function expectSlash(check: Check): Promise<void> {
  // Another change was made with a slash rightly.
  if (!check.isRead && !check.schema) return;
  const call = check.isRead ? {} : { body: "[", type: "application/json" };
  const plain = await send(check, call);
  const slashed = await send(check, { ...call, url: at(`${check.url}/`, check.facts.search) });
  expect([slashed.status, slashed.code], slashed.text).toEqual([plain.status, plain.code]);
}

/** Any query is answered with a documented code. */
export async function expectBadQueries(check: Check): Promise<void> {
  await inBatches(badQueries(check.operation), async ({ search }: BadInput) => {
    await send(check, { url: at(check.url, search) });
  });
}

/** Any header that the document names is answered with a documented code, whatever it holds. */
export async function expectBadHeaders(check: Check): Promise<void> {
  const named = (check.operation.parameters ?? []).filter((parameter) => parameter.in === "header");
  const calls = named.flatMap(({ name }) => wrongHeaders.map((text) => ({ ...check.facts.headers, [name]: text })));
  await inBatches(calls, async (headers) => void (await send(check, { headers })));
}

/** What the document says that a query may hold is not refused as bad input: each end of a range, and every value of a list. */
export async function expectAllowedQueries(check: Check): Promise<void> {
  const { operation, url, facts, isRead } = check;
  if (!isRead || facts.answers) return;
  const asked = new URLSearchParams(facts.search);
  const allowed = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && !facts.settled?.includes(parameter.name))
    .flatMap(({ name, schema = {} }) => allowedValues(schema).map((value) => ({ name, value })));
  await inBatches(allowed, async ({ name, value }) => {
    const query = new URLSearchParams(asked);
    query.set(name, String(value));
    // How deep a page may be hangs on its size.
    if (name === "page" && value !== 1) query.set("page_size", "1");
    const { code, text } = await send(check, { url: at(url, query.toString()) });
    expect(code, `refused, but allowed by the document: ${text}`).not.toBe("validation_failed");
  });
}

/** Any body is answered with a documented code; one that the document refuses is refused. */
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
  const bodies = wrongBodies.filter((body) => !(facts.takesList && body === "[]"));
  await inBatches(bodies, async (body) => {
    const { status, text } = await send(check, { body, type: "application/json" });
    if (!(facts.isLimited && status === 429)) expect(status, text).toBe(facts.early ?? 400);
  });
  const other = await send(check, { body: JSON.stringify(base), type: "text/plain" });
  if (!(facts.isLimited && other.status === 429)) expect(other.status, other.text).toBe(facts.early ?? 415);
  await expectTooLarge(check);
  const callers = facts.hasStaffFields ? [check.bearer, subject.bearers.staff] : [check.bearer];
  const calls = [...badObjects(base, schema, subject.document)].flatMap((bad) =>
    callers.map((bearer) => ({ bad, bearer })),
  );
  await inBatches(calls, async ({ bad, bearer }) => {
    const body = typeof bad === "string" ? bad : JSON.stringify(bad);
    const { status, text } = await send(check, { body, type: "application/json", bearer });
    // What the document refuses, the service refuses.
    const result = bodyShape?.safeParse(JSON.parse(body));
    const faults = result?.error?.issues.filter(
      // A note is on integers that are not safe, which are integers to JSON Schema.
      (issue) => !facts.reported?.includes(String(issue.path[0])) && !("note" in issue),
    );
    if (faults?.length) expect(status, `taken against its schema: ${text}`).toBeGreaterThanOrEqual(400);
  });
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
}

/** A body that is no JSON and one that is too large are refused. */
export async function expectFormChecked(check: Check): Promise<void> {
  const { schema, facts } = check;
  if (!schema) return;
  const { status, text } = await send(check, { body: "{", type: "application/json" });
  if (!(facts.isLimited && status === 429)) expect(status, text).toBe(facts.early ?? 400);
  await expectTooLarge(check);
}

async function expectTooLarge(check: Check): Promise<void> {
  const filler = "x".repeat(check.facts.maxBytes ?? 65_536);
  const { status, text } = await send(check, { json: { ...check.base, filler } });
  if (!(check.facts.isLimited && status === 429)) expect(status, text).toBe(check.facts.early ?? 413);
}

/** A text is refused or kept: the answer shows it as it was given but for its ends, and so does the next read. */
export async function expectTextsKept(check: Check): Promise<void> {
  const { schema, base, subject, facts } = check;
  if (!schema) return;
  for (const [name, property] of propertiesOf(schema, subject.document)) {
    if (![property.type].flat().includes("string") || property.enum) continue;
    const long = await send(check, { json: { ...base, [name]: "x".repeat(10_000) } });
    expect(long.status, `no bound of ${name}: ${long.text}`).toBeGreaterThanOrEqual(400);
    let isRead = false;
    for (const text of unusualTexts) {
      const answer = await send(check, { json: { ...base, [name]: text } });
      if (answer.status >= 300) continue;
      const shownText = fieldOf(answer.json, name);
      if (shownText === undefined || facts.filled?.includes(name)) continue;
      const isOnce = facts.shownOnce?.includes(name) ?? false;
      const kept = JSON.stringify(isOnce ? text : text.trim());
      expect(JSON.stringify(shownText), answer.text).toBe(kept);
      const read = isRead || isOnce ? undefined : await readAgain(check, answer.json);
      isRead = true;
      if (read) expect(JSON.stringify(fieldOf(read.json, name)), read.text).toBe(kept);
    }
  }
}

/** The row that a change answered, read by its own operation where there is one. */
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

/** The value of a key at the top of an answer or one level below. */
function fieldOf(json: unknown, name: string): unknown {
  if (typeof json !== "object" || json === null) return undefined;
  if (Object.hasOwn(json, name)) return Reflect.get(json, name);
  const inner = Object.values(json).find((value) => typeof value === "object" && value && Object.hasOwn(value, name));
  return inner === undefined ? undefined : Reflect.get(inner as object, name);
}
