import { eq, isNull } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { library_templates } from "../../../db/email/schema";
import type { LibraryItem, PublicLibraryTemplate } from "../../../schemas/email/content/library";
import { DESIGN_SETS } from "../../../workers/email/content/design-sets/sets";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf, paragraphDocument, storeLibraryTemplate } from "../../support/email/custom-templates";
import { startEmail } from "../../support/email/email";
import { loadFullLibrary } from "../../support/email/library";
import { insertRows, readRows } from "../../support/email/rows";

const email = await startEmail();
const PATH = "/api/v1/library";
type List = { sets: { key: string; name: string }[]; templates: LibraryItem[]; next_cursor: string | null };

const at = (id: number) => `${PATH}/${id}`;
const get = async <T>(path: string, bearer: string) => (await send(email, bearer, { method: "GET", path })).json<T>();
const post = (bearer: string, json: unknown) => send(email, bearer, { method: "POST", path: PATH, json });
const put = (bearer: string, id: number, json: unknown) => send(email, bearer, { method: "PUT", path: at(id), json });
const create = async (bearer: string, json: unknown) => {
  const response = await post(bearer, json);
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<PublicLibraryTemplate>();
};
await loadFullLibrary();
const builtIns = await readRows(library_templates, isNull(library_templates.company_id));

describe("the list of a library", () => {
  it("has built-in templates by set and name, then those of the company by name", async () => {
    const { owner, companyId } = await startCompany(email);
    for (const name of ["Zebra", "Ant"]) await storeLibraryTemplate(companyId, { name });
    await storeLibraryTemplate(companyId + 500, { name: "Another's" });
    const { sets, templates, next_cursor } = await get<List>(PATH, owner);
    expect(sets).toEqual(DESIGN_SETS.map(({ key, name }) => ({ key, name })));
    expect(next_cursor).toBeNull();
    const own = templates.splice(builtIns.length);
    expect(own.map(({ name, company_id, built_in }) => [name, company_id, built_in])).toEqual([
      ["Ant", companyId, false],
      ["Zebra", companyId, false],
    ]);
    const order = templates.map(({ set, name }) => [sets.findIndex(({ key }) => key === set), name] as const);
    expect(order).toEqual([...order].sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1)));
    expect(templates.every(({ html, built_in }) => built_in && html?.startsWith("<!doctype html>"))).toBe(true);
  });

  it("leaves the HTML out of a summary, and pages by a cursor without a repeat", async () => {
    const { owner, companyId } = await startCompany(email);
    await storeLibraryTemplate(companyId);
    const all = await get<List>(`${PATH}?fields=summary`, owner);
    expect(all.templates.some((item) => "html" in item)).toBe(false);
    const seen: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: List = await get(`${PATH}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`, owner);
      expect(page.templates.length).toBeLessThanOrEqual(2);
      seen.push(...page.templates.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(all.templates.map(({ id }) => id));
    for (const [query, field] of [
      ["limit=241", { limit: ["out_of_range"] }],
      ["limit=x", { limit: ["invalid"] }],
      ["cursor=x", { cursor: ["invalid"] }],
      ["fields=all", { fields: ["invalid"] }],
    ] as const) {
      const path = `${PATH}?${query}`;
      expect(await problemOf(await send(email, owner, { method: "GET", path }))).toEqual([
        400,
        "validation_failed",
        field,
      ]);
    }
  });

  it("ends a page early rather than hold more than some megabytes", async () => {
    const { owner, companyId } = await startCompany(email);
    const html = "x".repeat(1_500_000);
    for (const name of ["1", "2", "3", "4", "5", "6"]) await storeLibraryTemplate(companyId, { name, html });
    const first = await get<List>(PATH, owner);
    expect(first.next_cursor).not.toBeNull();
    const second = await get<List>(`${PATH}?cursor=${first.next_cursor}`, owner);
    const names = [...first.templates, ...second.templates].splice(builtIns.length).map(({ name }) => name);
    expect(names).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect((await get<List>(`${PATH}?fields=summary`, owner)).next_cursor).toBeNull();
  });

  it("answers 304 to its ETag until something of it is another, in two round trips and one", async () => {
    const { owner } = await startCompany(email);
    const list = (etag?: string) =>
      email.call(PATH, { bearer: owner, headers: etag === undefined ? {} : { "if-none-match": etag } });
    const first = await list();
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    expect(email.acceptTripsOf(first)).toBe(2);
    const again = await list(etag);
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    expect(email.acceptTripsOf(again)).toBe(1);
    expect(
      (await email.call(`${PATH}?fields=summary`, { bearer: owner, headers: { "if-none-match": etag } })).status,
    ).toBe(200);
    const { id } = await create(owner, { name: "New" });
    const other = await list(etag);
    expect(other.status).toBe(200);
    await put(owner, id, { name: "Newer" });
    expect((await list(other.headers.get("etag") ?? "")).status).toBe(200);
  });
});

describe("a template of a company's own", () => {
  it("begins empty, in no set", async () => {
    const { owner, companyId } = await startCompany(email);
    const made = await create(owner, { name: "  Ours " });
    expect(made).toMatchObject({ name: "Ours", set: "", head: "", subject: "", preheader: "", built_in: false });
    expect(made).toMatchObject({
      company_id: companyId,
      document: documentOf({ type: "container", content: [{ type: "paragraph" }] }),
    });
    expect(made.variables.map(({ token, type, required }) => [token, type, required])).toEqual([
      ["company_name", "string", false],
      ["action_url", "url", false],
    ]);
    expect(await get(at(made.id), owner)).toEqual(made);
  });

  it("is a copy of another with its set, document and texts", async () => {
    const { owner } = await startCompany(email);
    const [source] = builtIns;
    if (source === undefined) throw new Error("no built-in template");
    const copy = await create(owner, { source_id: source.id });
    const original = await get<PublicLibraryTemplate>(at(source.id), owner);
    const { set, head, document, html, text, subject, preheader } = original;
    expect(copy).toMatchObject({ name: `${source.name} copy`, set, head, document, html, text, subject, preheader });
    const ownTexts = await create(owner, { source_id: source.id, subject: "Mine", name: "x".repeat(120) });
    expect(ownTexts).toMatchObject({ subject: "Mine", preheader, document });
    const copied = await create(owner, { source_id: ownTexts.id });
    expect([...copied.name].length).toBe(120);
  });

  it("changes in the fields that are given alone", async () => {
    const { owner } = await startCompany(email);
    const made = await create(owner, { name: "News", subject: "First", document: paragraphDocument("One") });
    const renamed = await (await put(owner, made.id, { name: "Old news" })).json<PublicLibraryTemplate>();
    expect(renamed).toEqual({ ...made, name: "Old news", updated_at: expect.any(String) });
    expect(Date.parse(renamed.updated_at)).toBeGreaterThan(Date.parse(made.updated_at));
    const changed = await (
      await put(owner, made.id, { document: paragraphDocument("Two & <b>") })
    ).json<PublicLibraryTemplate>();
    expect(changed).toMatchObject({ name: "Old news", subject: "First", text: "Two & <b>" });
    expect(changed.html).toContain("Two &amp; &lt;b&gt;");
    expect(changed.html).toContain("<title>First</title>");
  });

  it("keeps what an author wrote where an event would put its own words", async () => {
    const { owner } = await startCompany(email);
    const source = builtIns.find(({ key }) => key === "barebone.text-only");
    if (source === undefined) throw new Error("no built-in template");
    const copy = await create(owner, { source_id: source.id });
    const slots = (template: PublicLibraryTemplate) =>
      JSON.stringify(template.document).match(/"textId":"[a-z-]+"/g) ?? [];
    expect(slots(copy)).toContain('"textId":"heading"');
    const words = JSON.parse(JSON.stringify(copy.document).replace("Write here what has happened", "We moved"));
    const written = await (await put(owner, copy.id, { document: words })).json<PublicLibraryTemplate>();
    expect(slots(written)).toContain('"textId":"heading"');
    expect(slots(written)).not.toContain('"textId":"lead"');
    expect(slots(await create(owner, { name: "From elsewhere", document: copy.document }))).toEqual([]);
  });

  it("goes, and is then none", async () => {
    const { owner } = await startCompany(email);
    const { id } = await create(owner, { name: "News" });
    const remove = () => send(email, owner, { method: "DELETE", path: at(id) });
    expect((await remove()).status).toBe(204);
    expect(await problemOf(await remove())).toEqual([404, "library_not_found"]);
    expect(await problemOf(await put(owner, id, {}))).toEqual([404, "library_not_found"]);
  });

  it("is one of at most 200 a company", async () => {
    const { owner, companyId } = await startCompany(email);
    const { id, ...row } = await storeLibraryTemplate(companyId);
    await insertRows(
      library_templates,
      Array.from({ length: 198 }, (_, n) => ({ ...row, key: `${row.key}.${n}` })),
    );
    const answers = await Promise.all([1, 2, 3].map(async () => problemOf(await post(owner, { name: "One more" }))));
    expect(answers.filter(([status]) => status === 201)).toHaveLength(1);
    expect(answers.filter(([, code]) => code === "limit_reached")).toHaveLength(2);
    await send(email, owner, { method: "DELETE", path: at(id) });
    await create(owner, { name: "Room again" });
  });

  it("is told 409 when it was changed between reading and writing", async () => {
    const { owner } = await startCompany(email);
    const { id } = await create(owner, { name: "News", document: paragraphDocument("One") });
    const answers = await Promise.all(
      Array.from({ length: 5 }, async (_, n) => (await put(owner, id, { subject: `${n}` })).status),
    );
    expect(answers).toContain(200);
    expect(answers.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const { subject, html } = await get<PublicLibraryTemplate>(at(id), owner);
    expect(html).toContain(`<title>${subject}</title>`);
  });
});

describe("refusals of the library", () => {
  it("knows a source and a row before it judges the other fields", async () => {
    const { owner, companyId } = await startCompany(email);
    const foreign = await storeLibraryTemplate(companyId + 500);
    for (const source_id of [foreign.id, 999_999_999]) {
      expect(await problemOf(await post(owner, { source_id, name: 1 }))).toEqual([404, "library_not_found"]);
    }
    expect(await problemOf(await put(owner, foreign.id, { name: 1 }))).toEqual([404, "library_not_found"]);
    expect(await problemOf(await send(email, owner, { method: "GET", path: at(foreign.id) }))).toEqual([
      404,
      "library_not_found",
    ]);
  });

  it("changes no built-in template, and judges the body first", async () => {
    const { owner, staff } = await startCompany(email);
    const [{ id } = { id: 0 }] = builtIns;
    expect(await problemOf(await put(owner, id, { name: "" }))).toEqual([
      400,
      "validation_failed",
      { name: ["blank"] },
    ]);
    for (const bearer of [owner, staff]) {
      expect(await problemOf(await put(bearer, id, { name: "Ours" }))).toEqual([409, "library_built_in"]);
      expect(await problemOf(await send(email, bearer, { method: "DELETE", path: at(id) }))).toEqual([
        409,
        "library_built_in",
      ]);
    }
    expect(await readRows(library_templates, eq(library_templates.id, id))).toEqual(builtIns.slice(0, 1));
  });

  it.each([
    [{}, { name: ["required"] }],
    [{ name: " " }, { name: ["blank"] }],
    [{ name: "x".repeat(121) }, { name: ["too_long"] }],
    [{ name: "a\u0000b" }, { name: ["invalid"] }],
    [{ name: "News", source_id: "3" }, { source_id: ["invalid"] }],
    [{ name: "News", subject: "x".repeat(256) }, { subject: ["too_long"] }],
    [{ name: "News", subject: "a\nb" }, { subject: ["invalid"] }],
    [{ name: "News", preheader: 7 }, { preheader: ["invalid"] }],
    [{ name: "News", subject: "{% if %}" }, { document: ["template_tags_forbidden"] }],
    [{ name: "News", document: "text" }, { document: ["invalid"] }],
    [{ name: "News", document: { type: "paragraph" } }, { document: ["invalid"] }],
  ])("refuses %j with %j", async (body, field_errors) => {
    const { owner } = await startCompany(email);
    expect(await problemOf(await post(owner, body))).toEqual([400, "validation_failed", field_errors]);
  });

  it("answers staff for any company's template, an owner for none but their own", async () => {
    const { owner, staff, member, companyId } = await startCompany(email);
    const { id } = await storeLibraryTemplate(companyId);
    expect((await send(email, staff, { method: "GET", path: at(id) })).status).toBe(200);
    expect((await put(staff, id, { name: "By staff" })).status).toBe(200);
    const other = `${at(id)}?company_id=${companyId + 500}`;
    expect(await problemOf(await send(email, staff, { method: "GET", path: other }))).toEqual([
      404,
      "library_not_found",
    ]);
    expect(await problemOf(await send(email, owner, { method: "GET", path: other }))).toEqual([
      403,
      "company_mismatch",
    ]);
    expect(await problemOf(await send(email, member, { method: "GET", path: at(id) }))).toEqual([403, "forbidden"]);
  });
});
