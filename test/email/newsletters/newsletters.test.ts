import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import {
  audit_log,
  broadcasts,
  newsletters,
  subscribers,
  template_versions,
  templates,
} from "../../../db/email/schema";
import { openTurnstileSecret } from "../../../workers/email/audience/newsletters/newsletter";
import { keysOf } from "../../../workers/email/keys";
import { expectGuards, problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf } from "../../support/email/custom-templates";
import { startEmail } from "../../support/email/email";
import { NEWSLETTERS, type PublicNewsletter, startNewsletter } from "../../support/email/newsletters";
import { insertRow, insertRows, readRows, updateRows } from "../../support/email/rows";

const email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min" } });

const auditOf = async (companyId: number) =>
  (await readRows(audit_log, eq(audit_log.company_id, companyId))).map(({ action }) => action);

it("creates, lists, changes and deletes newsletters, and audits each change", async () => {
  const { companyId, call, list, path } = await startNewsletter(email, {
    description: " Once a month ",
    default_language: "fr",
    allowed_origins: ["https://Aster.example", "https://aster.example", "http://localhost:3000"],
    confirmed_redirect_url: "https://aster.example/welcome",
    turnstile_site_key: "0x4AAA",
  });
  expect(list).toEqual({
    id: expect.any(Number),
    name: "Product news",
    description: "Once a month",
    public_key: expect.stringMatching(/^nl_[A-Za-z0-9_-]{24}$/),
    default_language: "fr",
    allowed_origins: ["https://aster.example", "http://localhost:3000"],
    confirmed_redirect_url: "https://aster.example/welcome",
    turnstile_site_key: "0x4AAA",
    turnstile_configured: false,
    confirmation_template_id: expect.any(Number),
    subscribe_url: expect.stringMatching(new RegExp(`/api/v1/public/newsletters/${list.public_key}/subscribe$`)),
    counts: { pending: 0, confirmed: 0, unsubscribed: 0 },
    created_at: expect.any(String),
    updated_at: expect.any(String),
    sender: { from_email: "hello@aster.example.com", error_code: "" },
  });
  const { sender: _sender, ...item } = list;
  const other = await (await call("POST", NEWSLETTERS, { name: "Alpha" })).json<PublicNewsletter>();
  const first = await (await call("GET", `${NEWSLETTERS}?limit=1`)).json<{
    newsletters: object[];
    next_cursor: string;
  }>();
  expect(first.newsletters).toMatchObject([{ id: other.id }]);
  const rest = await (await call("GET", `${NEWSLETTERS}?cursor=${first.next_cursor}`)).json();
  expect(rest).toEqual({ newsletters: [item], next_cursor: null });
  const changed = await (await call("PATCH", path, { name: "News", turnstile_site_key: "" })).json();
  expect(changed).toMatchObject({ name: "News", turnstile_site_key: "", description: "Once a month" });
  const rotated = await (await call("POST", `${path}/rotate-key`)).json<PublicNewsletter>();
  expect(rotated.public_key).not.toBe(list.public_key);
  expect((await call("DELETE", path)).status).toBe(204);
  expect(await problemOf(await call("GET", path))).toEqual([404, "newsletter_not_found"]);
  expect(await auditOf(companyId)).toEqual([
    ...["provider.saved", "newsletter.created", "newsletter.created", "newsletter.updated"],
    ...["newsletter.key_rotated", "newsletter.deleted"],
  ]);
});

it("works without a provider and says why no confirmation mail can be sent", async () => {
  const { owner } = await startCompany(email);
  const created = await send(email, owner, { method: "POST", path: NEWSLETTERS, json: { name: "News" } });
  expect(await created.json()).toMatchObject({
    sender: { from_email: "", error_code: "platform_sender_not_allowed" },
  });
});

it("seals the Turnstile secret and never returns it", async () => {
  const { call, list, path } = await startNewsletter(email, { turnstile_secret: "0x4AAA-secret" });
  expect([list.turnstile_configured, JSON.stringify(list)]).toEqual([true, expect.not.stringContaining('secret"')]);
  const stored = async () => (await readRows(newsletters, eq(newsletters.id, list.id)))[0];
  const row = await stored();
  expect(row?.turnstile_secret_enc).not.toContain("0x4AAA");
  if (row === undefined) throw new Error("no newsletter");
  expect(await openTurnstileSecret(row, await keysOf(email.bindings))).toBe("0x4AAA-secret");
  await call("PATCH", path, { name: "Other" });
  expect((await stored())?.turnstile_secret_enc).toBe(row.turnstile_secret_enc);
  expect(await (await call("PATCH", path, { turnstile_secret: "" })).json()).toMatchObject({
    turnstile_configured: false,
  });
});

it.each([
  [{}, { name: ["required"] }],
  [{ name: " " }, { name: ["required"] }],
  [{ name: "x".repeat(121) }, { name: ["too_long"] }],
  [{ name: "a\nb" }, { name: ["invalid"] }],
  [{ name: "a", description: "x".repeat(501) }, { description: ["too_long"] }],
  [{ name: "a", default_language: "de" }, { default_language: ["invalid"] }],
  [{ name: "a", allowed_origins: "https://a.example" }, { allowed_origins: ["invalid"] }],
  [{ name: "a", allowed_origins: ["https://a.example/path"] }, { allowed_origins: ["invalid"] }],
  [{ name: "a", allowed_origins: ["ftp://a.example"] }, { allowed_origins: ["invalid"] }],
  [
    { name: "a", allowed_origins: Array.from({ length: 21 }, (_, i) => `https://a${i}.example`) },
    { allowed_origins: ["too_many"] },
  ],
  [{ name: "a", confirmed_redirect_url: "http://a.example/" }, { confirmed_redirect_url: ["invalid"] }],
  [{ name: "a", confirmed_redirect_url: "https://u:p@a.example/" }, { confirmed_redirect_url: ["invalid"] }],
  [
    { name: "a", confirmed_redirect_url: `https://a.example/${"x".repeat(500)}` },
    { confirmed_redirect_url: ["too_long"] },
  ],
  [{ name: "a", turnstile_site_key: "x".repeat(101) }, { turnstile_site_key: ["too_long"] }],
  [{ name: "a", turnstile_secret: 1 }, { turnstile_secret: ["invalid"] }],
])("rejects %j", async (json, fields) => {
  const { owner, companyId } = await startCompany(email);
  const response = await send(email, owner, { method: "POST", path: NEWSLETTERS, json });
  expect(await problemOf(response)).toEqual([400, "validation_failed", fields]);
  expect(await readRows(newsletters, eq(newsletters.company_id, companyId))).toEqual([]);
});

it("keeps the newsletters of other companies and callers apart", async () => {
  const { path } = await startNewsletter(email);
  await expectGuards(email, { method: "GET", path: NEWSLETTERS });
  await expectGuards(email, { method: "POST", path: NEWSLETTERS, json: { name: "News" } });
  const { owner } = await startCompany(email);
  for (const [method, suffix] of [
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["POST", "/rotate-key"],
  ] as const) {
    const json = method === "PATCH" ? { name: "Mine" } : undefined;
    const response = await send(email, owner, { method, path: `${path}${suffix}`, json });
    expect(await problemOf(response)).toEqual([404, "newsletter_not_found"]);
  }
});

it("limits a company to 100 newsletters", async () => {
  const { companyId, call, list } = await startNewsletter(email);
  const [row] = await readRows(newsletters, eq(newsletters.id, list.id));
  if (row === undefined) throw new Error("no newsletter");
  const { id: _id, ...columns } = row;
  await insertRows(
    newsletters,
    Array.from({ length: 99 }, (_, i) => ({ ...columns, public_key: `nl_${companyId}_${i}` })),
  );
  expect(await problemOf(await call("POST", NEWSLETTERS, { name: "One more" }))).toEqual([409, "limit_reached"]);
  const stored = await readRows(
    templates,
    and(eq(templates.company_id, companyId), eq(templates.kind, "newsletter_confirmation")),
  );
  expect(stored).toHaveLength(1);
});

it("makes a published confirmation mail in the default language, which must keep its link", async () => {
  const { call, list } = await startNewsletter(email, { default_language: "fr" });
  const path = `/api/v1/templates/${list.confirmation_template_id}`;
  expect(await (await call("GET", path)).json()).toMatchObject({
    kind: "newsletter_confirmation",
    event_type: "newsletter_confirmation",
    language: "fr",
    name: "Product news",
    active_version: 1,
  });
  const [version] = await readRows(template_versions, eq(template_versions.template_id, list.confirmation_template_id));
  expect(version?.html).toContain("{{ confirm_url }}");
  expect(version?.html).not.toContain("unsubscribe_url");
  const publish = async (...blocks: object[]) => {
    const created = await call("POST", `${path}/versions`, { subject: "Confirm", document: documentOf(...blocks) });
    expect(created.status, await created.clone().text()).toBe(201);
    const { number } = await created.json<{ number: number }>();
    return call("POST", `${path}/versions/${number}/publish`);
  };
  const button = (href: string) => ({ type: "button", attrs: { href }, content: [{ type: "text", text: "Confirm" }] });
  const missing = [400, "confirm_link_missing", { confirm_url: ["required"] }];
  expect(await problemOf(await publish(button("https://aster.example/")))).toEqual(missing);
  const inText = { type: "paragraph", content: [{ type: "text", text: "{{ confirm_url }}" }] };
  expect(await problemOf(await publish(inText))).toEqual(missing);
  expect((await publish(button("{{ confirm_url }}"))).status).toBe(200);
  expect(await problemOf(await call("DELETE", path))).toEqual([409, "template_in_use"]);
});

it("is not deleted while a broadcast to it waits or is being sent", async () => {
  const { companyId, call, list, path } = await startNewsletter(email);
  const { id } = await insertRow(broadcasts, {
    company_id: companyId,
    name: "Issue 1",
    state: "draft",
    template_id: 1,
    template_key: `company.${companyId}`,
    language: "en",
    audience: {} as never,
    list_id: list.id,
    provider_ref: `bc_${companyId}`,
    seal_id: "s",
    request_id: "r",
    created_at: 1,
    updated_at: 1,
  });
  for (const state of ["scheduled", "queued", "preparing", "sending", "paused"] as const) {
    await updateRows(broadcasts, { state }, eq(broadcasts.id, id));
    expect(await problemOf(await call("DELETE", path))).toEqual([409, "conflict"]);
    expect((await call("GET", path)).status).toBe(200);
  }
  await updateRows(broadcasts, { state: "sent" }, eq(broadcasts.id, id));
  expect((await call("DELETE", path)).status).toBe(204);
});

it("is deleted with its subscribers and hides its template", async () => {
  const { call, list, path, add } = await startNewsletter(email);
  await add({ email: "mina@example.com", mode: "consented" });
  expect((await call("DELETE", path)).status).toBe(204);
  expect(await readRows(subscribers, eq(subscribers.list_id, list.id))).toEqual([]);
  expect((await call("GET", `/api/v1/templates/${list.confirmation_template_id}`)).status).toBe(404);
});
