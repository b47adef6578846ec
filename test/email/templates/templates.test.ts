import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { audit_log, rules, template_versions, templates } from "../../../db/email/schema";
import type { PublicTemplate, PublicVersion } from "../../../schemas/email/content/templates";
import { MINUTE_MS } from "../../../workers/kit/time";
import { problemOf, send, startCompany } from "../../support/email/admin";
import {
  documentOf,
  paragraphDocument,
  storeLibraryTemplate,
  storeRule,
  storeRuleFreeTemplate,
} from "../../support/email/custom-templates";
import { startEmail } from "../../support/email/email";
import { storeMessage } from "../../support/email/messages";
import { deleteRows, insertRows, readRows, updateRows } from "../../support/email/rows";

const email = await startEmail();
const PATH = "/api/v1/templates";
const GROUP = "identity.group.created";

type List = { templates: PublicTemplate[]; next_cursor: string | null };
type Versions = { versions: PublicVersion[]; next_cursor: string | null };

const call = (bearer: string, method: string, path: string, json?: unknown) =>
  send(email, bearer, { method, path, json });
const read = async <T>(bearer: string, path: string) => (await call(bearer, "GET", path)).json<T>();
const versionsOf = (id: number) => `${PATH}/${id}/versions`;
const draft = (text: string, overrides = {}) => ({
  subject: `About ${text}`,
  document: paragraphDocument(text),
  ...overrides,
});
const storedVersions = (id: number) => readRows(template_versions, eq(template_versions.template_id, id));

async function createVersion(bearer: string, id: number, body: object): Promise<number> {
  const response = await call(bearer, "POST", versionsOf(id), body);
  const version = await response.json<{ number: number; state: string }>();
  expect([response.status, version]).toEqual([201, { number: version.number, state: "draft" }]);
  return version.number;
}

describe("custom templates of a company", () => {
  it("are listed by event, language and id, with exactly the documented fields", async () => {
    const { companyId, owner } = await startCompany(email);
    const fr = await storeRule(companyId, { eventType: GROUP, language: "fr" });
    const en = await storeRule(companyId, { eventType: GROUP });
    const created = await storeRule(companyId, { eventType: "hosting.app.created" });
    const again = await storeRule(companyId, { eventType: GROUP });
    await storeRule(companyId + 500, { eventType: GROUP });
    const list = await read<List>(owner, PATH);
    const ids = [created, en, again, fr].map(({ template }) => template.id);
    expect(list.templates.map(({ id }) => id)).toEqual(ids);
    expect(list.next_cursor).toBeNull();
    expect(list.templates[1]).toEqual({
      id: en.template.id,
      template_key: expect.stringMatching(/^company\.[a-z0-9]{12}$/),
      kind: "event",
      name: "Group created",
      event_type: GROUP,
      language: "en",
      company_id: companyId,
      active_version: 1,
      source_key: "barebone.text-only",
      set: "barebone",
      head: expect.stringContaining("color-scheme"),
    });
    expect(await read(owner, `${PATH}/${en.template.id}`)).toEqual(list.templates[1]);
    const listedIds: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: List = await read(owner, `${PATH}?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      listedIds.push(...page.templates.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(listedIds).toEqual(ids);
  });

  it("are filtered to those whose tokens an event provides", async () => {
    const { companyId, owner } = await startCompany(email);
    const libraryTemplate = await storeLibraryTemplate(companyId, {
      document: JSON.stringify(paragraphDocument("{{ company_name }} {{ recipient_email }} {{ system.message_id }}")),
    });
    const plain = await storeRule(companyId, { eventType: "identity.user.updated", libraryId: libraryTemplate.id });
    // The catalog's subject for this event contains a token that other events do not have.
    const group = await storeRule(companyId, { eventType: GROUP, libraryId: libraryTemplate.id });
    const listTemplatesFor = async (eventType: string) =>
      (await read<List>(owner, `${PATH}?event_type=${eventType}`)).templates.map(({ id }) => id);
    expect(await listTemplatesFor("storage.bucket.created")).toEqual([plain.template.id]);
    expect(await listTemplatesFor("identity.group.deleted")).toEqual([group.template.id, plain.template.id]);
    await createVersion(owner, plain.template.id, draft("{{ bucket_name }}"));
    expect(await listTemplatesFor("identity.group.deleted")).toContain(plain.template.id);
    await call(owner, "POST", `${versionsOf(plain.template.id)}/2/publish`);
    expect(await listTemplatesFor("identity.group.deleted")).toEqual([group.template.id]);
    // Custom templates greet the recipient by name for every event.
    const created = await storeRule(companyId, { eventType: "identity.user.created" });
    expect(await listTemplatesFor("identity.user.created")).toContain(created.template.id);
    expect(await problemOf(await call(owner, "GET", `${PATH}?event_type=no.such`))).toEqual([400, "event_unknown"]);
  });

  it("are visible only to their company", async () => {
    const [company, other] = [await startCompany(email), await startCompany(email)];
    const { template } = await storeRule(company.companyId, { eventType: GROUP });
    const paths = [
      ["GET", `${PATH}/${template.id}`],
      ["DELETE", `${PATH}/${template.id}`],
      ["GET", versionsOf(template.id)],
      ["POST", versionsOf(template.id)],
      ["GET", `${versionsOf(template.id)}/1`],
      ["POST", `${versionsOf(template.id)}/1/publish`],
      ["POST", `${PATH}/${template.id}/preview`],
      ["POST", `${PATH}/${template.id}/send-test`],
    ] as const;
    for (const [method, path] of paths) {
      const json = method === "POST" ? {} : undefined;
      expect(await problemOf(await call(other.owner, method, path, json)), path).toEqual([404, "template_not_found"]);
      expect(await problemOf(await call(company.member, method, path, json)), path).toEqual([403, "forbidden"]);
    }
    expect((await read<PublicTemplate>(company.staff, `${PATH}/${template.id}`)).id).toBe(template.id);
  });

  it("cannot be deleted while a rule uses them, and return 404 after their deletion", async () => {
    const { companyId, owner } = await startCompany(email);
    const { template, rule } = await storeRule(companyId, { eventType: GROUP });
    const path = `${PATH}/${template.id}`;
    expect(await problemOf(await call(owner, "DELETE", path))).toEqual([409, "template_in_use"]);
    await deleteRows(rules, eq(rules.id, rule.id));
    expect((await call(owner, "DELETE", path)).status).toBe(204);
    for (const [method, target] of [
      ["DELETE", path],
      ["GET", path],
      ["GET", `${path}/versions`],
      ["GET", `${path}/versions/1`],
      ["POST", `${path}/versions/1/publish`],
    ] as const) {
      expect(await problemOf(await call(owner, method, target))).toEqual([404, "template_not_found"]);
    }
    expect(await problemOf(await call(owner, "POST", `${path}/versions`, draft("late")))).toEqual([
      404,
      "template_not_found",
    ]);
    expect((await read<List>(owner, PATH)).templates).toEqual([]);
    const [hidden] = await readRows(templates, eq(templates.id, template.id));
    expect(hidden?.hidden_at).toBeGreaterThan(0);
    const isDeletion = and(eq(audit_log.target, `template:${template.id}`), eq(audit_log.action, "template.deleted"));
    expect(await readRows(audit_log, isDeletion)).toHaveLength(1);
  });
});

describe("versions of a custom template", () => {
  it("are numbered from 1, rendered when stored, and have exactly six fields", async () => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    const document = paragraphDocument("Group <{{ display_name }}>");
    expect(await createVersion(owner, id, { subject: "  A group ", preheader: "Look", document })).toBe(2);
    const { versions, next_cursor } = await read<Versions>(owner, versionsOf(id));
    expect(next_cursor).toBeNull();
    expect(versions.map(({ number, state }) => [number, state])).toEqual([
      [1, "published"],
      [2, "draft"],
    ]);
    const expected = { number: 2, state: "draft", subject: "A group", preheader: "Look", document, published_at: null };
    expect(versions[1]).toEqual(expected);
    expect(await read(owner, `${versionsOf(id)}/2`)).toEqual(expected);
    const [, row] = await storedVersions(id);
    expect(row).toMatchObject({ text: "Group <{{ display_name }}>", renderer_version: 1, created_by: companyId });
    expect(row?.html).toContain("Group &lt;{{ display_name }}&gt;");
    expect(row?.uses).toEqual({ tokens: ["display_name"], hosts: [] });
    for (const number of ["3", "0", "x", "1.5", "-1"]) {
      const response = await call(owner, "GET", `${versionsOf(id)}/${number}`);
      expect(await problemOf(response), number).toEqual([404, "template_not_found"]);
    }
  });

  it("take missing texts from the newest version", async () => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    await createVersion(owner, id, draft("one", { preheader: "Before" }));
    await createVersion(owner, id, { subject: "", document: paragraphDocument("two") });
    await createVersion(owner, id, { subject: "Third", preheader: "", document: paragraphDocument("three") });
    const { versions } = await read<Versions>(owner, versionsOf(id));
    expect(versions.slice(1).map(({ subject, preheader }) => [subject, preheader])).toEqual([
      ["About one", "Before"],
      ["About one", "Before"],
      ["Third", ""],
    ]);
  });

  it("can start from a design adapted to the event, with the previous subject and preheader", async () => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    const button = { type: "button", attrs: { href: "{{ action_url }}" }, content: [{ type: "text", text: "Go" }] };
    const libraryTemplate = await storeLibraryTemplate(companyId, {
      document: JSON.stringify(documentOf(...paragraphDocument("From {{ company_name }}").content, button)),
    });
    await createVersion(owner, id, draft("one"));
    const number = await createVersion(owner, id, { library_id: libraryTemplate.id });
    expect(await read(owner, `${versionsOf(id)}/${number}`)).toMatchObject({
      subject: "About one",
      // A mail without the link has no button.
      document: documentOf(
        { ...paragraphDocument("From {{ company_name }}").content[0], attrs: {} },
        { ...button, attrs: { when: "action_url", href: "{{ action_url }}" } },
      ),
    });
    expect(await read(owner, `${PATH}/${id}`)).toMatchObject({
      source_key: libraryTemplate.key,
      set: "",
      head: "",
      active_version: 1,
    });
    const foreign = await storeLibraryTemplate(companyId + 500);
    for (const library_id of [foreign.id, 999_999_999]) {
      const response = await call(owner, "POST", versionsOf(id), { library_id });
      expect(await problemOf(response)).toEqual([404, "library_not_found"]);
    }
  });

  it("get different numbers when stored concurrently", async () => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    const numbers = await Promise.all(Array.from({ length: 8 }, () => createVersion(owner, id, draft("same"))));
    expect(numbers.sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  /** Stores a custom template with a published first version and 199 further versions. */
  async function storeFullTemplate(companyId: number, state: "draft" | "archived", published_at: number) {
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    await updateRows(template_versions, { published_at }, eq(template_versions.template_id, id));
    const [{ id: _id, ...first } = { id: 0 }] = await storedVersions(id);
    const more = Array.from(
      { length: 199 },
      (_, n) => ({ ...first, number: n + 2, state }) as typeof template_versions.$inferInsert,
    );
    for (let start = 0; start < more.length; start += 6)
      await insertRows(template_versions, more.slice(start, start + 6));
    return id;
  }

  const numbersOf = async (id: number) => (await storedVersions(id)).map(({ number }) => number).sort((a, b) => a - b);

  it("are limited to 200: a new one replaces the oldest draft, but never a version in use", async () => {
    const { companyId, owner } = await startCompany(email);
    const id = await storeFullTemplate(companyId, "draft", Date.now());
    for (const number of [201, 202]) expect(await createVersion(owner, id, draft("one more"))).toBe(number);
    const numbers = await numbersOf(id);
    expect([numbers.length, numbers.slice(0, 3), numbers.at(-1)]).toEqual([200, [1, 4, 5], 202]);
    expect((await call(owner, "POST", `${versionsOf(id)}/2/publish`)).status).toBe(404);
    expect((await call(owner, "POST", `${versionsOf(id)}/202/publish`)).status).toBe(200);
  });

  it("are replaced an hour after they were archived if no message needs them; otherwise the new one is rejected", async () => {
    const { companyId, owner } = await startCompany(email);
    const id = await storeFullTemplate(companyId, "archived", Date.now() - 61 * MINUTE_MS);
    const pinned = (await storedVersions(id)).find(({ number }) => number === 2)?.id ?? 0;
    const waiting = { lane: "transactional", version_id: pinned, default_checksum: null } as const;
    await storeMessage(companyId, { ...waiting, status: "queued" });
    expect(await createVersion(owner, id, draft("one more"))).toBe(201);
    const numbers = await numbersOf(id);
    expect([numbers.length, numbers.slice(0, 3)]).toEqual([200, [1, 2, 4]]);
    await deleteRows(template_versions, and(eq(template_versions.template_id, id), eq(template_versions.number, 201)));
    const [{ id: _id, ...first } = { id: 0 }] = await storedVersions(id);
    await insertRows(template_versions, [
      { ...first, number: 201, state: "archived" } as typeof template_versions.$inferInsert,
    ]);
    await updateRows(template_versions, { published_at: Date.now() }, eq(template_versions.template_id, id));
    const response = await call(owner, "POST", versionsOf(id), draft("too soon"));
    expect(await problemOf(response)).toEqual([409, "limit_reached"]);
    expect(await numbersOf(id)).toEqual([...numbers.slice(0, -1), 201]);
  });

  it("are listed in pages of a few megabytes", async () => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    const [{ id: _id, ...first } = { id: 0 }] = await storedVersions(id);
    const document = JSON.stringify(paragraphDocument("x".repeat(1_700_000)));
    for (let number = 2; number <= 8; number += 1) {
      await insertRows(template_versions, [{ ...first, number, document } as typeof template_versions.$inferInsert]);
    }
    const listedNumbers: number[] = [];
    let pages = 0;
    for (let cursor: string | null = ""; cursor !== null; pages += 1) {
      const page: Versions = await read(owner, `${versionsOf(id)}${cursor === "" ? "" : `?cursor=${cursor}`}`);
      listedNumbers.push(...page.versions.map(({ number }) => number));
      cursor = page.next_cursor;
    }
    expect(listedNumbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(pages).toBeGreaterThan(1);
  });

  it.each([
    [{}, { document: ["required"] }],
    [{ subject: "x", document: null }, { document: ["required"] }],
    [{ document: "text" }, { document: ["invalid"] }],
    [{ document: paragraphDocument("x"), subject: "x".repeat(256) }, { subject: ["too_long"] }],
    [{ document: paragraphDocument("x"), preheader: "a\r\nb" }, { preheader: ["invalid"] }],
    [{ library_id: "3" }, { library_id: ["invalid"] }],
  ])("are rejected for %j with %j", async (body, field_errors) => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    const response = await call(owner, "POST", versionsOf(id), body);
    expect(await problemOf(response)).toEqual([400, "validation_failed", field_errors]);
  });

  it("need a subject if there was none before", async () => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    await updateRows(template_versions, { subject: "" }, eq(template_versions.template_id, id));
    const response = await call(owner, "POST", versionsOf(id), {});
    expect(await problemOf(response)).toEqual([
      400,
      "validation_failed",
      { document: ["required"], subject: ["required"] },
    ]);
  });
});

describe("publishing a version", () => {
  it("archives the previously published version, and can publish an older one again", async () => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    await createVersion(owner, id, draft("two"));
    const publish = (number: number) => call(owner, "POST", `${versionsOf(id)}/${number}/publish`);
    const response = await publish(2);
    const [, row] = await storedVersions(id);
    expect([response.status, await response.json()]).toEqual([
      200,
      { number: 2, state: "published", checksum: row?.checksum, warnings: [] },
    ]);
    expect(row?.checksum).toMatch(/^[0-9a-f]{64}$/);
    const states = async () => {
      const { versions } = await read<Versions>(owner, versionsOf(id));
      const { active_version } = await read<PublicTemplate>(owner, `${PATH}/${id}`);
      return [active_version, ...versions.map(({ state }) => state)];
    };
    expect(await states()).toEqual([2, "archived", "published"]);
    expect((await publish(1)).status).toBe(200);
    expect(await states()).toEqual([1, "published", "archived"]);
    expect((await publish(1)).status).toBe(200);
    expect(await states()).toEqual([1, "published", "archived"]);
    expect(await problemOf(await publish(3))).toEqual([404, "template_not_found"]);
  });

  it("leaves exactly one version published after concurrent requests", async () => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    const numbers = [2, 3, 4, 5];
    for (const number of numbers) await createVersion(owner, id, draft(`${number}`));
    await Promise.all(numbers.map((number) => call(owner, "POST", `${versionsOf(id)}/${number}/publish`)));
    const published = (await storedVersions(id)).filter(({ state }) => state === "published");
    const { active_version } = await read<PublicTemplate>(owner, `${PATH}/${id}`);
    expect(published.map(({ number }) => number)).toEqual([active_version]);
  });

  it("makes two round trips, and other template requests make at most two", async () => {
    const { companyId, owner } = await startCompany(email);
    const { id } = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
    const trips = async (response: Promise<Response>) => email.acceptTripsOf(await response);
    expect(await trips(call(owner, "POST", versionsOf(id), draft("two")))).toBe(2);
    expect(await trips(call(owner, "POST", `${versionsOf(id)}/2/publish`))).toBe(2);
    expect(await trips(call(owner, "GET", versionsOf(id)))).toBe(1);
    expect(await trips(call(owner, "GET", PATH))).toBe(1);
    expect(await trips(call(owner, "DELETE", `${PATH}/${id}`))).toBe(2);
  });
});
