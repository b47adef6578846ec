import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { audit_log, messages, template_versions, templates } from "../../../db/email/schema";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf, paragraphDocument, storeRuleFreeTemplate } from "../../support/email/custom-templates";
import { startEmail } from "../../support/email/email";
import { recordMails } from "../../support/email/mail-api";
import { countRows, readRows, updateRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startEmail({ vars: { EMAIL_AUTH_LINK_HOSTS: "auth.example.com" } });
const GROUP = "identity.group.created";
const LINK = "identity.auth.magic_link.requested";

type Warning = { code: string; detail: string };
type Preview = { subject: string; preheader: string; html: string; text: string; warnings: Warning[] };

async function createCustomTemplate(eventType = GROUP) {
  const company = await startCompany(email);
  const { id } = await storeRuleFreeTemplate(company.companyId, { eventType });
  const path = `/api/v1/templates/${id}`;
  const post = (verb: string, json: unknown = {}, bearer = company.owner) =>
    send(email, bearer, { method: "POST", path: `${path}/${verb}`, json });
  const preview = async (json?: unknown) => (await post("preview", json)).json<Preview>();
  const store = async (json: object) => (await post("versions", json)).status;
  return { ...company, id, post, preview, store };
}

const greeting = paragraphDocument('Group {{ display_name }} & {{ nobody|default:"all" }}{{ system.nothing }}');

describe("a preview", () => {
  it("renders the newest version with the catalog's examples, and stores nothing", async () => {
    const { id, preview, store } = await createCustomTemplate();
    await store({ subject: "About {{ display_name }}", preheader: "See {{ display_name }}", document: greeting });
    const { html, ...texts } = await preview();
    expect(texts).toEqual({
      subject: "About Engineering",
      preheader: "See Engineering",
      text: "Group Engineering & all\n",
      warnings: [
        { code: "unknown_token", detail: "nobody" },
        { code: "unknown_token", detail: "system.nothing" },
      ],
    });
    expect(html).toContain("Group Engineering &amp; all");
    expect(await readRows(template_versions, eq(template_versions.template_id, id))).toHaveLength(2);
    expect(await countRows(audit_log, eq(audit_log.target, `template:${id}`))).toBe(1);
  });

  it("renders the content of the request body, whose variables override the examples", async () => {
    const { preview } = await createCustomTemplate();
    const document = paragraphDocument("{{ display_name }} <{{ company_name }}>");
    const variables = { display_name: "Sales", company_name: "<b>", other: 1 };
    const content = await preview({ document, subject: "{{ display_name }}", preheader: "", variables });
    expect(content).toMatchObject({ subject: "Sales", preheader: "", text: "Sales <<b>>\n" });
    expect(content.html).toContain("Sales &lt;&lt;b&gt;&gt;");
    const texts = await preview({ subject: "Only this" });
    expect(texts).toMatchObject({ subject: "Only this", text: expect.stringContaining("Engineering") });
  });

  it("warns about content that blocks the publishing of a sign-in mail, and about a mail that Gmail truncates", async () => {
    const { preview } = await createCustomTemplate(LINK);
    const href = "https://evil.example.com";
    const button = (to: string) => ({ type: "button", attrs: { href: to }, content: [{ type: "text", text: "Go" }] });
    const { warnings } = await preview({ document: documentOf(button("{{ magic_link_url }}"), button(href)) });
    expect(warnings).toEqual([{ code: "auth_link_host_not_allowed", detail: "href: host_not_allowed" }]);
    const long = await preview({
      document: documentOf(button("{{ magic_link_url }}"), ...paragraphDocument("x".repeat(110_000)).content),
    });
    expect(long.warnings).toEqual([{ code: "cut_by_gmail", detail: expect.stringMatching(/^\d{6} bytes$/) }]);
    expect(long.html).toContain("https://auth.example.com/api/v1/magic-link/verify?token=example");
  });

  it("contains a working unsubscribe link where allowed, and none in sign-in mail", async () => {
    const leave = { type: "link", attrs: { href: "{{ system.unsubscribe_url }}" } };
    const document = documentOf({ type: "paragraph", content: [{ type: "text", text: "Leave", marks: [leave] }] });
    const other = await (await createCustomTemplate()).preview({ document });
    const url = /href="([^"]+\/u\/[^"]+)"/.exec(other.html)?.[1] ?? "";
    expect((await email.call(url.slice(url.indexOf("/u/")))).status).toBe(200);
    const signIn = await (await createCustomTemplate(LINK)).preview({ document });
    expect(signIn.html).not.toContain("/u/");
  });

  it("uses the company's branding", async () => {
    const { owner, preview } = await createCustomTemplate();
    const path = "/api/v1/branding";
    const saved = await send(email, owner, { method: "PUT", path, json: { footer_text: "Aster Labs, Lyon" } });
    expect(saved.status).toBe(200);
    expect((await preview()).html).toContain("Aster Labs, Lyon");
  });

  it.each([
    [{ variables: [] }, [400, "validation_failed", { variables: ["invalid"] }]],
    [{ variables: { x: "x".repeat(8200) } }, [400, "validation_failed", { variables: ["too_large"] }]],
    [{ subject: 1 }, [400, "validation_failed", { subject: ["invalid"] }]],
    [{ preheader: "{% x %}" }, [400, "validation_failed", { document: ["template_tags_forbidden"] }]],
  ])("rejects %j", async (body, problem) => {
    const { post } = await createCustomTemplate();
    expect(await problemOf(await post("preview", body))).toEqual(problem);
  });

  it("rejects a link variable with a host that no mail may use", async () => {
    const { post } = await createCustomTemplate(LINK);
    const body = { variables: { magic_link_url: "https://evil.example.com" } };
    const field_errors = { "variables.magic_link_url": ["invalid"] };
    expect(await problemOf(await post("preview", body))).toEqual([400, "variable_url_not_allowed", field_errors]);
  });
});

const tooLarge = [400, "validation_failed", { document: ["render_failed"] }];

describe("a mail of more than 2 MB", () => {
  const document = paragraphDocument("{{app_url}} ".repeat(43_000));

  it("is rejected by a preview", async () => {
    const { post } = await createCustomTemplate();
    const body = {
      document: documentOf(
        ...Array.from({ length: 300 }, () => paragraphDocument("{{ display_name }}").content).flat(),
      ),
      variables: { display_name: "<".repeat(8000) },
    };
    expect(await problemOf(await post("preview", body))).toEqual(tooLarge);
    expect((await post("preview", { ...body, variables: { display_name: "<".repeat(800) } })).status).toBe(200);
  });

  it("is stored as a draft, but cannot be sent as a test or published", async () => {
    const { post, store } = await createCustomTemplate("identity.membership.enabled");
    expect(await store({ subject: "Welcome", document })).toBe(201);
    const mails = recordMails();
    expect(await problemOf(await post("send-test", { document, subject: "Welcome" }))).toEqual(tooLarge);
    expect(await problemOf(await post("send-test"))).toEqual(tooLarge);
    expect(mails).toEqual([]);
    expect(await problemOf(await post("versions/2/publish"))).toEqual(tooLarge);
    expect(await store({ subject: "Welcome", document: greeting })).toBe(201);
    expect((await post("versions/3/publish")).status).toBe(200);
  });
});

describe("a test send of a custom template", () => {
  it("sends the newest draft to the caller, as stored and with examples", async () => {
    const { companyId, post, store } = await createCustomTemplate();
    const mails = recordMails();
    expect(await problemOf(await post("send-test"))).toEqual([
      400,
      "validation_failed",
      { version: ["draft_required"] },
    ]);
    await store({ subject: "First", document: greeting });
    await store({ subject: "About {{ display_name }}", document: greeting });
    const response = await post("send-test");
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        status: "sent",
        provider: "api",
        provider_message_id: "sent-1",
        sender: { scope: "platform", from_email: "no-reply@platform.example.com" },
      },
    ]);
    expect(mails).toMatchObject([
      { subject: "About Engineering", to: ["owner@example.com"], text: expect.stringContaining("Group Engineering") },
    ]);
    expect(await countRows(messages, eq(messages.company_id, companyId))).toBe(0);
    const entries = await readRows(audit_log, eq(audit_log.company_id, companyId));
    expect(entries.at(-1)).toMatchObject({
      action: "template.tested",
      changes: '{"scope":"platform","provider":"api"}',
    });
  });

  it("sends the published or any other version on request, and otherwise requires a draft", async () => {
    const { id, post, store } = await createCustomTemplate();
    const mails = recordMails();
    const rejection = async (json: object) => (await problemOf(await post("send-test", json)))[2];
    await store({ subject: "Second", document: greeting });
    expect(await (await post("versions/2/publish")).json()).toEqual({
      number: 2,
      state: "published",
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      warnings: [
        { code: "unknown_token", detail: "nobody" },
        { code: "unknown_token", detail: "system.nothing" },
      ],
    });
    expect(await rejection({})).toEqual({ version: ["draft_required"] });
    await store({ subject: "Third", document: greeting });
    for (const version of ["live", 3, 1, null]) expect((await post("send-test", { version })).status).toBe(200);
    expect(mails.map(({ subject }) => subject)).toEqual([
      "Second",
      "Third",
      "The group Engineering was added",
      "Third",
    ]);
    for (const [json, code] of [
      [{ version: 9 }, "unknown"],
      [{ version: "2" }, "invalid"],
      [{ version: 0 }, "out_of_range"],
      [{ version: 2, document: greeting, subject: "Draft" }, "not_allowed"],
    ] as const) {
      expect(await rejection(json)).toEqual({ version: [code] });
    }
    await updateRows(templates, { active_version: null }, eq(templates.id, id));
    expect(await rejection({ version: "live" })).toEqual({ version: ["not_published"] });
  });

  it("sends the document in the request body, which needs a subject", async () => {
    const { post } = await createCustomTemplate(LINK);
    const mails = recordMails();
    const document = paragraphDocument("Code {{ sign_in_code }}, see {{ system.message_id }}");
    for (const subject of [undefined, "", "  "]) {
      const response = await post("send-test", { document, ...(subject === undefined ? {} : { subject }) });
      expect(await problemOf(response)).toEqual([400, "validation_failed", { subject: ["required"] }]);
    }
    expect((await post("send-test", { document, subject: "Try {{ company_name }}" })).status).toBe(200);
    expect(mails[0]).toMatchObject({ subject: "Try Aster Labs", text: "Code BCDF-2345, see msg_test\n" });
    expect(mails[0]?.from).toBe('"Aster Labs via Platform" <no-reply@platform.example.com>');
  });

  it("is sent to the caller's own address, or to any address for staff", async () => {
    const { staff, companyId, post } = await createCustomTemplate();
    const mails = recordMails();
    const draft = { document: greeting, subject: "Try" };
    for (const [to, problem] of [
      ["", [400, "validation_failed", { to: ["required"] }]],
      ["x", [400, "validation_failed", { to: ["invalid_format"] }]],
      ["other@example.com", [403, "forbidden"]],
    ] as const) {
      expect(await problemOf(await post("send-test", { ...draft, to }))).toEqual(problem);
    }
    expect((await post("send-test", { ...draft, to: "OWNER@example.com" })).status).toBe(200);
    expect((await post("send-test", { ...draft, to: "Zoe@example.org" }, staff)).status).toBe(200);
    expect(mails.map(({ to }) => to)).toEqual([["OWNER@example.com"], ["Zoe@example.org"]]);
    expect(companyId).toBeGreaterThan(0);
  });

  it("returns the provider's rejection, and is limited to ten requests per minute", async () => {
    const { post } = await createCustomTemplate();
    recordMails({ status: 422 });
    const draft = { document: greeting, subject: "Try" };
    const results = [];
    for (let n = 0; n < 11; n += 1) results.push(await problemOf(await post("send-test", draft)));
    const rejection = [502, "provider_test_failed", { provider: ["provider_rejected"] }];
    expect(results.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => rejection));
    expect(results[10]).toEqual([429, "rate_limited"]);
  });
});
