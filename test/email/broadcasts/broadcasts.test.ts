import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { broadcasts, newsletters, templates } from "../../../db/email/schema";
import { expectGuards, problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf, paragraphDocument, storeLibraryTemplate } from "../../support/email/custom-templates";
import { everyMember } from "../../support/email/draft-broadcasts";
import { createCompany, startEmail } from "../../support/email/email";
import { insertRow, readRows, updateRows } from "../../support/email/rows";

const email = await startEmail();
const { companyId, owner, staff } = await startCompany(email);
const PATH = "/api/v1/broadcasts";
const DESIGN = "barebone.text-only";

type Json = Record<string, unknown> & { id: number; template_id: number };

const call = (method: string, path: string, json?: unknown, bearer = owner) =>
  send(email, bearer, { method, path, json });
const create = async (fields: object = {}, bearer = owner): Promise<Json> => {
  const response = await call("POST", PATH, { name: "March news", source_key: DESIGN, ...fields }, bearer);
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<Json>();
};
const setState = (id: number, state: (typeof broadcasts.$inferInsert)["state"]) =>
  updateRows(broadcasts, { state }, eq(broadcasts.id, id));
const templatePath = ({ template_id }: Json) => `/api/v1/templates/${template_id}`;
const versionsOf = async (draft: Json) => {
  const response = await call("GET", `${templatePath(draft)}/versions`);
  return (await response.json<{ versions: { number: number; state: string; subject: string; document: unknown }[] }>())
    .versions;
};

it("requires an owner or staff", async () => {
  await expectGuards(email, { method: "POST", path: PATH, json: {} });
  await expectGuards(email, { method: "GET", path: PATH });
});

it("creates a draft with a published copy of the design", async () => {
  const draft = await create();
  expect(draft).toEqual({
    id: draft.id,
    company_id: companyId,
    name: "March news",
    state: "draft",
    delivery: "",
    from_email: "",
    template_id: draft.template_id,
    template_version: null,
    language: "en",
    audience: everyMember,
    counts: null,
    last_error_code: "",
    send_at: null,
    created_at: expect.stringMatching(/Z$/),
    updated_at: draft.created_at,
    sent_at: null,
    provider_ref: expect.stringMatching(/^bc_[0-9a-f]{32}$/),
    subject: expect.any(String),
    preheader: expect.any(String),
    sender: {
      from_email: "",
      from_name: "",
      delivery: "bulk_lane",
      error_code: "platform_sender_not_allowed",
      warnings: [],
    },
  });
  expect(await (await call("GET", `${PATH}/${draft.id}`)).json()).toEqual(draft);
  const template = await (await call("GET", templatePath(draft))).json<Json>();
  expect(template).toMatchObject({ kind: "broadcast", event_type: "broadcast", active_version: 1, source_key: DESIGN });
  expect(await versionsOf(draft)).toMatchObject([{ number: 1, state: "published", subject: draft.subject }]);
  const audit = await (await call("GET", `/api/v1/audit?company_id=${companyId}`)).text();
  expect(audit).toContain(`"broadcast:${draft.id}"`);
});

it("copies a design of the company and adds the unsubscribe paragraph in the language", async () => {
  const { key } = await storeLibraryTemplate(companyId, {
    document: JSON.stringify(documentOf({ type: "container", content: paragraphDocument("Bonjour").content })),
  });
  const draft = await create({ source_key: key, language: "fr", name: "  Nouvelles  " });
  expect(draft).toMatchObject({ name: "Nouvelles", subject: "Nouvelles", language: "fr" });
  const [version] = await versionsOf(draft);
  expect(JSON.stringify(version?.document)).toContain("Ne plus recevoir ces e-mails");
  expect(JSON.stringify(version?.document)).toContain("{{ system.unsubscribe_url }}");
  const foreign = await storeLibraryTemplate(createCompany());
  const response = await call("POST", PATH, { name: "News", source_key: foreign.key });
  expect(await problemOf(response)).toEqual([400, "validation_failed", { source_key: ["invalid"] }]);
});

const rejected = (fields: Record<string, string[]>) => [400, "validation_failed", fields];

it.each<[string, object, unknown]>([
  ["no name", { name: undefined }, rejected({ name: ["required"] })],
  ["a blank name", { name: " " }, rejected({ name: ["blank"] })],
  ["a long name", { name: "x".repeat(121) }, rejected({ name: ["too_long"] })],
  ["a control character", { name: "a\nb" }, rejected({ name: ["invalid"] })],
  ["no design", { source_key: undefined }, rejected({ source_key: ["required"] })],
  ["an unknown design", { source_key: "barebone.nothing" }, rejected({ source_key: ["invalid"] })],
  ["an unknown language", { language: "de" }, [400, "language_not_available"]],
  ["a tag in the subject", { subject: "{% if %}" }, rejected({ document: ["template_tags_forbidden"] })],
  ["an audience that is no object", { audience: [] }, rejected({ audience: ["invalid"] })],
  ["an unknown mode", { audience: { mode: "all" } }, rejected({ "audience.mode": ["invalid"] })],
  ["no list", { audience: { mode: "newsletter" } }, rejected({ "audience.list_id": ["required"] })],
  [
    "an unknown list",
    { audience: { mode: "newsletter", list_id: 1e9 } },
    rejected({ "audience.list_id": ["invalid"] }),
  ],
  ["a bad group", { audience: { group_ids: ["x"] } }, rejected({ "audience.group_ids": ["invalid"] })],
  [
    "too many groups",
    { audience: { group_ids: Array.from({ length: 101 }, () => crypto.randomUUID()) } },
    rejected({ "audience.group_ids": ["too_many"] }),
  ],
  ["a bad role", { audience: { roles: ["admin"] } }, rejected({ "audience.roles": ["invalid"] })],
  ["bad access", { audience: { access: "some" } }, rejected({ "audience.access": ["invalid"] })],
  [
    "a bad time",
    { audience: { seen_before: "2026-02-30T00:00:00Z" } },
    rejected({ "audience.seen_before": ["invalid"] }),
  ],
  [
    "a text as user id",
    { audience: { mode: "pick", user_ids: ["1"] } },
    rejected({ "audience.user_ids": ["invalid"] }),
  ],
  [
    "too many users",
    { audience: { mode: "pick", user_ids: Array.from({ length: 1001 }, (_, index) => index + 1) } },
    rejected({ "audience.user_ids": ["too_many"] }),
  ],
  ["a bad address", { audience: { mode: "pick", emails: ["mina"] } }, rejected({ "audience.emails": ["invalid"] })],
  [
    "too many addresses",
    { audience: { mode: "pick", emails: Array.from({ length: 1001 }, (_, index) => `a${index}@example.com`) } },
    rejected({ "audience.emails": ["too_many"] }),
  ],
])("rejects %s", async (_name, fields, problem) => {
  const before = (await readRows(templates, eq(templates.company_id, companyId))).length;
  const response = await call("POST", PATH, { name: "News", source_key: DESIGN, ...fields });
  expect(await problemOf(response)).toEqual(problem);
  expect(await readRows(templates, eq(templates.company_id, companyId))).toHaveLength(before);
});

it("stores a complete audience", async () => {
  const group = crypto.randomUUID();
  const draft = await create({
    audience: {
      mode: "pick",
      group_ids: [group.toUpperCase(), group],
      roles: ["owner", "owner"],
      access: "any",
      joined_after: "2026-01-01T01:00:00+01:00",
      user_ids: [7, 7, 8],
      emails: ["Mina@example.com", " mina@EXAMPLE.com", "leo@example.com"],
      list_id: 3,
    },
  });
  expect(draft.audience).toEqual({
    ...everyMember,
    mode: "pick",
    group_ids: [group],
    roles: ["owner"],
    access: "any",
    joined_after: "2026-01-01T00:00:00.000Z",
    user_ids: [7, 8],
    emails: ["mina@EXAMPLE.com", "leo@example.com"],
  });
  const list = await insertRow(newsletters, {
    company_id: companyId,
    name: "News",
    public_key: `nl_${crypto.randomUUID()}`,
    default_language: "en",
    seal_id: crypto.randomUUID(),
    confirmation_template_id: 0,
    created_at: 1,
    updated_at: 1,
  });
  const toList = await call("PATCH", `${PATH}/${draft.id}`, { audience: { mode: "newsletter", list_id: list.id } });
  expect((await toList.json<Json>()).audience).toEqual({ ...everyMember, mode: "newsletter", list_id: list.id });
});

it("stores picked addresses encrypted, and returns them to owners and staff", async () => {
  const emails = ["mina.laurent@example.com", "leo.martin@example.com"];
  const rowOf = async ({ id }: Json) => (await readRows(broadcasts, eq(broadcasts.id, id)))[0];
  const draft = await create({ audience: { mode: "pick", user_ids: [7], emails } });
  const stored = await rowOf(draft);
  expect(stored).toMatchObject({ audience: { mode: "pick", user_ids: [7], emails: [] } });
  expect(stored?.audience_emails_enc).toMatch(/^v1\./);
  expect(stored?.audience_hashes).toHaveLength(2);
  expect(JSON.stringify(stored)).not.toMatch(/laurent|martin/);
  const path = `${PATH}/${draft.id}`;
  await call("PATCH", path, { name: "Renamed" });
  const copy = await (await call("POST", `${path}/duplicate`)).json<Json>();
  for (const bearer of [owner, staff]) {
    const listed = await (await call("GET", `${PATH}?company_id=${companyId}`, undefined, bearer)).json<{
      broadcasts: Json[];
    }>();
    for (const id of [draft.id, copy.id]) {
      const shown = await (await call("GET", `${PATH}/${id}`, undefined, bearer)).json<Json>();
      for (const item of [shown, listed.broadcasts.find((row) => row.id === id)])
        expect(item?.audience).toEqual({ ...everyMember, mode: "pick", user_ids: [7], emails });
    }
  }
  expect((await rowOf(copy))?.audience_emails_enc).not.toBe(stored?.audience_emails_enc);
  expect(await (await call("POST", `${path}/preview`, { audience: { mode: "pick" } })).json()).toMatchObject({
    total: 0,
  });
  await call("PATCH", path, { audience: { mode: "pick", emails: ["leo.martin@example.com"] } });
  expect((await rowOf(draft))?.audience_hashes).toEqual([stored?.audience_hashes?.[1]]);
  await call("PATCH", path, { audience: { mode: "filter" } });
  expect(await rowOf(draft)).toMatchObject({ audience_emails_enc: null, audience_hashes: null });
  const audit = await (await call("GET", `/api/v1/audit?company_id=${companyId}&limit=100`)).text();
  expect(audit).not.toMatch(/laurent|martin/);
});

it("changes a draft, and publishes a new version for new texts", async () => {
  const draft = await create();
  const path = `${PATH}/${draft.id}`;
  const named = await (await call("PATCH", path, { name: "April news" })).json<Json>();
  expect(named).toMatchObject({ name: "April news", subject: draft.subject });
  expect(await versionsOf(draft)).toHaveLength(1);
  const changed = await (await call("PATCH", path, { subject: "New subject", preheader: "" })).json<Json>();
  expect(changed).toMatchObject({ name: "April news", subject: "New subject", preheader: "", state: "draft" });
  expect(await versionsOf(draft)).toMatchObject([
    { number: 1, state: "archived" },
    { number: 2, state: "published", subject: "New subject" },
  ]);
  expect(await problemOf(await call("PATCH", path, { subject: "" }))).toEqual(rejected({ subject: ["blank"] }));
  await setState(draft.id, "sending");
  for (const json of [{ name: "x" }, { subject: "Other" }, {}])
    expect(await problemOf(await call("PATCH", path, json))).toEqual([409, "broadcast_not_draft"]);
  expect(await versionsOf(draft)).toHaveLength(2);
});

it("keeps the template of a broadcast until the broadcast is deleted", async () => {
  const draft = await create();
  expect(await problemOf(await call("DELETE", templatePath(draft)))).toEqual([409, "template_in_use"]);
  await setState(draft.id, "queued");
  expect(await problemOf(await call("DELETE", `${PATH}/${draft.id}`))).toEqual([409, "broadcast_not_draft"]);
  await setState(draft.id, "failed");
  expect((await call("DELETE", `${PATH}/${draft.id}`)).status).toBe(204);
  expect(await problemOf(await call("GET", `${PATH}/${draft.id}`))).toEqual([404, "broadcast_not_found"]);
  expect(await problemOf(await call("GET", templatePath(draft)))).toEqual([404, "template_not_found"]);
});

it("is duplicated with its content and audience", async () => {
  const draft = await create({ audience: { roles: ["owner"] }, language: "fr" });
  await call("PATCH", `${PATH}/${draft.id}`, { subject: "Changed" });
  await setState(draft.id, "sent");
  const response = await call("POST", `${PATH}/${draft.id}/duplicate`);
  expect(response.status).toBe(201);
  const copy = await response.json<Json>();
  const { name, preheader, audience: same, language } = draft;
  expect(copy).toMatchObject({ name, preheader, audience: same, language, subject: "Changed", state: "draft" });
  expect(copy.id).not.toBe(draft.id);
  expect(copy.template_id).not.toBe(draft.template_id);
  expect((await versionsOf(copy))[0]?.document).toEqual((await versionsOf(draft))[1]?.document);
});

it("edits, previews and publishes the content of a draft only", async () => {
  const draft = await create();
  const path = `${templatePath(draft)}/versions`;
  const link = { type: "link", attrs: { href: "{{ system.unsubscribe_url }}" } };
  const stop = { type: "paragraph", content: [{ type: "text", text: "Stop", marks: [link] }] };
  const hello = { type: "paragraph", content: [{ type: "text", text: "Hello {{ first_name }} {{ last_name }}" }] };
  const publish = async (document: object) => {
    const created = await call("POST", path, { subject: "Hi", document });
    expect(created.status).toBe(201);
    const { number } = await created.json<{ number: number }>();
    return call("POST", `${path}/${number}/publish`);
  };
  const missing = [400, "unsubscribe_link_missing", { "system.unsubscribe_url": ["required"] }];
  expect(await problemOf(await publish(documentOf(hello)))).toEqual(missing);
  const hidden = { type: "div", attrs: { when: "first_name" }, content: [stop] };
  expect(await problemOf(await publish(documentOf(hello, hidden)))).toEqual(missing);
  const published = await publish(documentOf(hello, stop));
  expect(await published.json()).toMatchObject({ state: "published", warnings: [] });
  const preview = await call("POST", `${templatePath(draft)}/preview`, { variables: { first_name: "Noor" } });
  const mail = await preview.json<{ html: string; text: string; warnings: unknown[] }>();
  expect(mail.text).toContain("Hello Noor Laurent");
  expect(mail.html).toContain(`/u/${companyId}.bulk.`);
  expect(mail.warnings).toEqual([]);
  const design = await call("GET", "/api/v1/library?fields=summary");
  const [first] = (await design.json<{ templates: { id: number }[] }>()).templates;
  expect((await call("POST", path, { library_id: first?.id })).status).toBe(201);
  await setState(draft.id, "scheduled");
  expect(await problemOf(await call("POST", path, { document: documentOf(hello, stop) }))).toEqual([
    409,
    "broadcast_not_draft",
  ]);
  expect(await problemOf(await call("POST", `${path}/1/publish`))).toEqual([409, "broadcast_not_draft"]);
});

it("lists broadcasts newest first, by state and in pages", async () => {
  const other = await startCompany(email);
  const ids: number[] = [];
  for (let index = 0; index < 3; index += 1) ids.push((await create({ name: `News ${index}` }, other.owner)).id);
  await setState(ids[1] ?? 0, "sent");
  const list = async (query: string, bearer = other.owner) =>
    (await call("GET", `${PATH}?${query}`, undefined, bearer)).json<{
      broadcasts: Json[];
      next_cursor: string | null;
    }>();
  const first = await list("limit=2");
  expect(first.broadcasts.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  const second = await list(`limit=2&cursor=${first.next_cursor}`);
  expect(second.broadcasts.map(({ id }) => id)).toEqual([ids[0]]);
  expect(second.next_cursor).toBeNull();
  expect((await list("state=sent")).broadcasts).toMatchObject([
    { id: ids[1], delivery: "bulk_lane", counts: { total: 0, sent: 0 } },
  ]);
  expect((await list("state=draft")).broadcasts.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
  expect((await list(`company_id=${other.companyId}`, staff)).broadcasts).toHaveLength(3);
  const bad = await call("GET", `${PATH}?state=new`);
  expect(await problemOf(bad)).toEqual(rejected({ state: ["invalid"] }));
  expect(await problemOf(await call("GET", `${PATH}/${ids[0]}`))).toEqual([404, "broadcast_not_found"]);
  expect(await problemOf(await call("DELETE", `${PATH}/${ids[0]}`))).toEqual([404, "broadcast_not_found"]);
});
