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

describe("the template library", () => {
  it("lists built-in templates by set and name, then those of the company by name", async () => {
    const { owner, companyId } = await startCompany(email);
    for (const name of ["Zebra", "Ant"]) await storeLibraryTemplate(companyId, { name });
    await storeLibraryTemplate(companyId + 500, { name: "Another's" });
    const { sets, templates, next_cursor } = await get<List>(PATH, owner);
    expect(sets).toEqual(DESIGN_SETS.map(({ key, name }) => ({ key, name })));
    expect(next_cursor).toBeNull();
    const companyTemplates = templates.splice(builtIns.length);
    expect(companyTemplates.map(({ name, company_id, built_in }) => [name, company_id, built_in])).toEqual([
      ["Ant", companyId, false],
      ["Zebra", companyId, false],
    ]);
    const order = templates.map(({ set, name }) => [sets.findIndex(({ key }) => key === set), name] as const);
    expect(order).toEqual([...order].sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1)));
    expect(templates.every(({ html, built_in }) => built_in && html?.startsWith("<!doctype html>"))).toBe(true);
  });

  it("omits the HTML in a summary, and returns each template once across cursor pages", async () => {
    const { owner, companyId } = await startCompany(email);
    await storeLibraryTemplate(companyId);
    const all = await get<List>(`${PATH}?fields=summary`, owner);
    expect(all.templates.some((item) => "html" in item)).toBe(false);
    const listedIds: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: List = await get(`${PATH}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`, owner);
      expect(page.templates.length).toBeLessThanOrEqual(2);
      listedIds.push(...page.templates.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(listedIds).toEqual(all.templates.map(({ id }) => id));
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

  it("ends a page early before it exceeds a few megabytes", async () => {
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

  it("returns 304 for its ETag until a template changes, in one round trip instead of two", async () => {
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

describe("a company's own template", () => {
  it("starts empty and without a set", async () => {
    const { owner, companyId } = await startCompany(email);
    const created = await create(owner, { name: "  Ours " });
    expect(created).toMatchObject({ name: "Ours", set: "", head: "", subject: "", preheader: "", built_in: false });
    expect(created).toMatchObject({
      company_id: companyId,
      document: documentOf({ type: "container", content: [{ type: "paragraph" }] }),
    });
    expect(created.variables.map(({ token, type, required }) => [token, type, required])).toEqual([
      ["company_name", "string", false],
      ["action_url", "url", false],
    ]);
    expect(await get(at(created.id), owner)).toEqual(created);
  });

  it("copies another template with its set, document and texts", async () => {
    const { owner } = await startCompany(email);
    const [source] = builtIns;
    if (source === undefined) throw new Error("no built-in template");
    const copied = await create(owner, { source_id: source.id });
    const original = await get<PublicLibraryTemplate>(at(source.id), owner);
    const { set, head, document, html, text, subject, preheader } = original;
    expect(copied).toMatchObject({
      name: `${source.name} copy`,
      set,
      head,
      document,
      html,
      text,
      subject,
      preheader,
    });
    const withTexts = await create(owner, { source_id: source.id, subject: "Mine", name: "x".repeat(120) });
    expect(withTexts).toMatchObject({ subject: "Mine", preheader, document });
    const copyOfCopy = await create(owner, { source_id: withTexts.id });
    expect([...copyOfCopy.name].length).toBe(120);
  });

  it("changes only the fields of the request", async () => {
    const { owner } = await startCompany(email);
    const created = await create(owner, { name: "News", subject: "First", document: paragraphDocument("One") });
    const renamed = await (await put(owner, created.id, { name: "Old news" })).json<PublicLibraryTemplate>();
    expect(renamed).toEqual({ ...created, name: "Old news", updated_at: expect.any(String) });
    expect(Date.parse(renamed.updated_at)).toBeGreaterThan(Date.parse(created.updated_at));
    const changed = await (
      await put(owner, created.id, { document: paragraphDocument("Two & <b>") })
    ).json<PublicLibraryTemplate>();
    expect(changed).toMatchObject({ name: "Old news", subject: "First", text: "Two & <b>" });
    expect(changed.html).toContain("Two &amp; &lt;b&gt;");
    expect(changed.html).toContain("<title>First</title>");
  });

  it("keeps edited text where an event would insert its own texts", async () => {
    const { owner } = await startCompany(email);
    const source = builtIns.find(({ key }) => key === "barebone.text-only");
    if (source === undefined) throw new Error("no built-in template");
    const copied = await create(owner, { source_id: source.id });
    const slots = (template: PublicLibraryTemplate) =>
      JSON.stringify(template.document).match(/"textId":"[a-z-]+"/g) ?? [];
    expect(slots(copied)).toContain('"textId":"heading"');
    const editedDocument = JSON.parse(
      JSON.stringify(copied.document).replace("Write here what has happened", "We moved"),
    );
    const written = await (await put(owner, copied.id, { document: editedDocument })).json<PublicLibraryTemplate>();
    expect(slots(written)).toContain('"textId":"heading"');
    expect(slots(written)).not.toContain('"textId":"lead"');
    expect(slots(await create(owner, { name: "From elsewhere", document: copied.document }))).toEqual([]);
  });

  it("returns 404 after its deletion", async () => {
    const { owner } = await startCompany(email);
    const { id } = await create(owner, { name: "News" });
    const remove = () => send(email, owner, { method: "DELETE", path: at(id) });
    expect((await remove()).status).toBe(204);
    expect(await problemOf(await remove())).toEqual([404, "library_not_found"]);
    expect(await problemOf(await put(owner, id, {}))).toEqual([404, "library_not_found"]);
  });

  it("is limited to 200 templates per company", async () => {
    const { owner, companyId } = await startCompany(email);
    const { id, ...row } = await storeLibraryTemplate(companyId);
    await insertRows(
      library_templates,
      Array.from({ length: 198 }, (_, n) => ({ ...row, key: `${row.key}.${n}` })),
    );
    const responses = await Promise.all([1, 2, 3].map(async () => problemOf(await post(owner, { name: "One more" }))));
    expect(responses.filter(([status]) => status === 201)).toHaveLength(1);
    expect(responses.filter(([, code]) => code === "limit_reached")).toHaveLength(2);
    await send(email, owner, { method: "DELETE", path: at(id) });
    await create(owner, { name: "Room again" });
  });

  it("returns 409 when it changed between read and write", async () => {
    const { owner } = await startCompany(email);
    const { id } = await create(owner, { name: "News", document: paragraphDocument("One") });
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async (_, n) => (await put(owner, id, { subject: `${n}` })).status),
    );
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const { subject, html } = await get<PublicLibraryTemplate>(at(id), owner);
    expect(html).toContain(`<title>${subject}</title>`);
  });
});

describe("errors of the library", () => {
  it("return 404 for an unknown source or template before other fields are validated", async () => {
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

  it("reject changes of built-in templates after the body is validated", async () => {
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
  ])("reject %j with %j", async (body, field_errors) => {
    const { owner } = await startCompany(email);
    expect(await problemOf(await post(owner, body))).toEqual([400, "validation_failed", field_errors]);
  });

  it("allow staff to use every company's templates, and owners only their own", async () => {
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
