import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { default_contents, messages, rules, template_versions, templates } from "../../../db/email/schema";
import { findEvent } from "../../../schemas/email/content/catalog";
import { shownTrace } from "../../../workers/email/delivery/messages/stored-trace";
import { settingsOf } from "../../../workers/email/settings";
import { problemOf, send, startCompany } from "../../support/email/admin";
import { documentOf, paragraphDocument, storeRule } from "../../support/email/custom-templates";
import { deliverNow } from "../../support/email/deliver-now";
import { startDelivery } from "../../support/email/delivery";
import { createKey, magicLink, startEmail, testEnv } from "../../support/email/email";
import { recordMails } from "../../support/email/mail-api";
import { deleteRows, readRows, updateRows } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const LINK = "identity.auth.magic_link.requested";
const GROUP = "identity.membership.enabled";
const vars = { EMAIL_DELIVER_SYNC: "true", EMAIL_AUTH_LINK_HOSTS: "auth.example.com" };
const email = await startEmail({ vars });

type Item = { id: string; language: string; template_version: number | null; status: string };
type Design = { subject?: string; preheader?: string; document: object };

const button = { type: "button", attrs: { href: "{{ magic_link_url }}" }, content: [{ type: "text", text: "Go" }] };
const signIn = (greeting: string, ...blocks: object[]) =>
  documentOf(...paragraphDocument(greeting).content, button, ...blocks);
const suggested = (eventType: string, language: "en" | "fr") => {
  const event = findEvent(eventType);
  if (event === undefined) throw new Error("no event");
  return event.suggested[language];
};

/** Returns a catalog text of a sign-in mail to Mina from a company named Aster Labs. */
const renderedText = (part: "subject" | "preheader", language: "en" | "fr") =>
  suggested(LINK, language)
    [part].replace(/\{\{ *company_name.*?\}\}/g, "Aster Labs")
    .replace(/\{\{ *recipient_name.*?\}\}/g, "Mina");
const subjectIn = (language: "en" | "fr") => renderedText("subject", language);

async function startSender() {
  const company = await startCompany(email);
  const { key } = await createKey({ service: "identity", companies: [company.companyId] });
  const post = async (json: object, harness = email) => {
    const response = await harness.call("/api/v1/send", { bearer: key, json });
    const { messages: items = [] } = await response.clone().json<{ messages?: Item[] }>();
    return { response, status: response.status, item: items[0] };
  };
  const groupMessage = (overrides: object = {}) => ({
    company_id: company.companyId,
    template_key: GROUP,
    to: [{ email: "mina@example.com" }],
    variables: { company_name: "Aster Labs", app_url: "https://app.example.com/" },
    ...overrides,
  });
  return {
    ...company,
    key,
    post,
    groupMessage,
    link: (overrides = {}) => magicLink(company.companyId, overrides),
  };
}

/** Stores a version of a custom template and publishes it. */
async function publish(bearer: string, templateId: number, draft: Design): Promise<number> {
  const path = `/api/v1/templates/${templateId}/versions`;
  const created = await send(email, bearer, { method: "POST", path, json: draft });
  const { number } = await created.json<{ number: number }>();
  const response = await send(email, bearer, { method: "POST", path: `${path}/${number}/publish` });
  expect(response.status, await response.clone().text()).toBe(200);
  return number;
}

async function rowOf(item: Item | undefined) {
  const [row] = await readRows(messages, eq(messages.id, item?.id.slice(4) ?? ""));
  if (row === undefined) throw new Error("no message");
  return { ...row, trace: shownTrace(row.trace) as { content: object; language: object } };
}

describe("content of sign-in mail", () => {
  it("is the built-in rule's custom template, with two round trips for the send and two for the delivery", async () => {
    const { companyId, owner, key, post, link } = await startSender();
    const { template } = await storeRule(companyId, { eventType: LINK, isBuiltIn: true });
    const mails = recordMails();
    await post(link());
    const first = await post(link());
    expect(first.item).toMatchObject({ template_version: 1, language: "en", status: "sent" });
    await publish(owner, template.id, {
      subject: "Hi {{ recipient_name }}",
      document: signIn("Press, {{ recipient_name }}"),
    });
    const { item } = await post(link());
    expect(item).toMatchObject({ template_version: 2, language: "en", status: "sent" });
    expect(mails.at(-1)).toMatchObject({
      subject: "Hi Mina",
      text: expect.stringMatching(/^Press, Mina\n\nGo: https:/),
    });
    expect((await rowOf(item)).trace.content).toEqual({
      source: "copy",
      template_id: template.id,
      version: 2,
      design: "barebone.activation",
      reason: null,
    });
    const instance = await startEmail({ vars: { EMAIL_AUTH_LINK_HOSTS: "auth.example.com" } });
    await instance.call("/api/v1/catalog", { bearer: key });
    const sent = await post(link(), instance);
    expect(instance.acceptTripsOf(sent.response)).toBe(2);
  });

  it("is read in the round trip of the claim", async () => {
    const { companyId, post, groupMessage } = await startSender();
    await storeRule(companyId, { eventType: GROUP });
    const { item } = await post(groupMessage(), await startEmail());
    const services = startDelivery().build();
    await deliverNow(services, [item?.id.slice(4) ?? ""], "transactional");
    expect(services.platformDb.stats.roundTrips).toBe(2);
    expect((await rowOf(item)).status).toBe("sent");
  });

  it("contains the image of a stored draft with `system.assets_url`, which new documents cannot use", async () => {
    const { companyId, owner, post, link } = await startSender();
    const { template } = await storeRule(companyId, { eventType: LINK, isBuiltIn: true });
    const path = `/api/v1/templates/${template.id}/versions`;
    const save = (src: string) => {
      const document = signIn("Press", { type: "image", attrs: { src, alt: "A" } });
      return send(email, owner, { method: "POST", path, json: { subject: "Hi", document } });
    };
    const created = await save("https://cdn.example.com/a.png");
    const { number } = await created.json<{ number: number }>();
    const isDraft = and(eq(template_versions.template_id, template.id), eq(template_versions.number, number));
    const [draft] = await readRows(template_versions, isDraft);
    const withToken = (text = "") => text.replace("https://cdn.example.com/", "{{ system.assets_url }}/");
    await updateRows(
      template_versions,
      { document: withToken(draft?.document), html: withToken(draft?.html) },
      isDraft,
    );
    const published = await send(email, owner, { method: "POST", path: `${path}/${number}/publish` });
    expect(published.status).toBe(200);
    const mails = recordMails();
    expect((await post(link())).item).toMatchObject({ template_version: number, status: "sent" });
    expect(mails.at(-1)?.html).toContain('<img src="http://localhost:8787/email/static/library/a.png"');
    expect(await problemOf(await save("{{ system.assets_url }}/a.png"))).toEqual([
      400,
      "validation_failed",
      { document: ["unsafe_image"] },
    ]);
  });

  it("is the default content without a custom template, and for staff", async () => {
    const { companyId, post, link } = await startSender();
    recordMails();
    const without = await post(link());
    expect(without.item?.template_version).toBeNull();
    expect((await rowOf(without.item)).trace.content).toMatchObject({ source: "default", reason: "no_copy" });
    await storeRule(companyId, { eventType: LINK, isBuiltIn: true });
    const staff = await post(link({ use_platform_sender: true }));
    expect(staff.item?.template_version).toBeNull();
    expect((await rowOf(staff.item)).trace.content).toMatchObject({ source: "default", reason: "platform_sender" });
  });

  it("is never the custom template of another rule or another company", async () => {
    const { companyId, post, link } = await startSender();
    recordMails();
    await storeRule(companyId, { eventType: LINK });
    await storeRule(companyId, { eventType: "identity.user.invited", isBuiltIn: true });
    await storeRule(companyId + 500, { eventType: LINK, isBuiltIn: true });
    expect((await post(link())).item?.template_version).toBeNull();
  });

  it("is the default content when its links are no longer on a listed host, with the reason in the trace", async () => {
    const { companyId, owner, post, link } = await startSender();
    const { template } = await storeRule(companyId, { eventType: LINK, isBuiltIn: true });
    const help = {
      type: "paragraph",
      content: [
        { type: "text", text: "Help", marks: [{ type: "link", attrs: { href: "https://auth.example.com/help" } }] },
      ],
    };
    await publish(owner, template.id, { subject: "Ours", document: signIn("Welcome", help) });
    const mails = recordMails();
    expect((await post(link())).item?.template_version).toBe(2);
    const withOtherHost = await startEmail({ vars: { ...vars, EMAIL_AUTH_LINK_HOSTS: "login.example.com" } });
    const variables = { company_name: "Aster Labs", magic_link_url: "https://login.example.com/verify?token=x" };
    const { status, item } = await post(link({ variables }), withOtherHost);
    expect([status, item?.template_version, item?.language]).toEqual([202, null, "en"]);
    expect((await rowOf(item)).trace.content).toEqual({
      source: "default",
      template_id: null,
      version: null,
      design: "barebone.activation",
      reason: "checks_failed",
    });
    expect(mails.map(({ subject }) => subject)).toEqual(["Ours", subjectIn("en")]);
    expect(mails.at(-1)?.html).not.toContain("auth.example.com/help");
    // The custom template is sent again when its host is listed.
    expect((await post(link())).item?.template_version).toBe(2);
  });
});

describe("the texts of a mail", () => {
  it("are in the requested language if the custom template is unchanged", async () => {
    const { companyId, post, link } = await startSender();
    await storeRule(companyId, { eventType: LINK, isBuiltIn: true });
    const mails = recordMails();
    const { item } = await post(link({ language: "fr" }));
    expect(item).toMatchObject({ template_version: 1, language: "fr" });
    expect(mails[0]?.subject).toBe(subjectIn("fr"));
    expect(mails[0]?.html).toMatch(/<html lang="fr"/);
    expect(mails[0]?.text).toContain(subjectIn("fr"));
    const row = await rowOf(item);
    expect(row.version_id).not.toBeNull();
    expect(row.trace.content).toMatchObject({ source: "copy", version: 1, reason: "unchanged" });
    expect(row.trace.language).toEqual({ value: "fr", source: "request" });
  });

  it("come from the catalog, in the mail's language, if only the body is edited", async () => {
    const { companyId, owner, post, link } = await startSender();
    const { template } = await storeRule(companyId, { eventType: LINK, isBuiltIn: true });
    await publish(owner, template.id, { document: signIn("Our own words") });
    const mails = recordMails();
    const { item } = await post(link({ language: "fr" }));
    expect(item).toMatchObject({ template_version: 2, language: "fr" });
    const [mail] = mails;
    expect(mail?.subject).toBe(subjectIn("fr"));
    expect(mail?.text).toMatch(/^Our own words/);
    expect(mail?.html).toContain(renderedText("preheader", "fr"));
    expect(mail?.html).toContain(`<title>${subjectIn("fr")}</title>`);
    expect(mail?.html).not.toContain(subjectIn("en"));
  });

  it("are sent as stored, in the custom template's language, if an author wrote them", async () => {
    const { companyId, owner, post, link } = await startSender();
    const { template } = await storeRule(companyId, { eventType: LINK, isBuiltIn: true, language: "fr" });
    await publish(owner, template.id, { subject: "Bonjour", document: signIn("Nos mots") });
    const mails = recordMails();
    const { item } = await post(link({ language: "en" }));
    expect(item).toMatchObject({ template_version: 2, language: "fr" });
    expect((await rowOf(item)).trace.language).toEqual({ value: "fr", source: "copy" });
    expect(mails[0]).toMatchObject({ subject: "Bonjour" });
    // The preheader is the catalog's text in the language of the subject.
    expect(mails[0]?.html).toContain(renderedText("preheader", "fr"));
  });
});

describe("content of transactional mail", () => {
  it("is the custom template in the mail's language, else in English, else in any other, else the default", async () => {
    const { companyId, owner, post, groupMessage } = await startSender();
    recordMails();
    const version = async (language: string) => {
      const { item } = await post(groupMessage({ language }));
      const { trace } = await rowOf(item);
      return (trace.content as { template_id: number | null }).template_id;
    };
    expect(await version("fr")).toBeNull();
    const fr = (await storeRule(companyId, { eventType: GROUP, language: "fr" })).template.id;
    expect([await version("en"), await version("fr")]).toEqual([fr, fr]);
    const en = (await storeRule(companyId, { eventType: GROUP })).template.id;
    await storeRule(companyId, { eventType: GROUP });
    expect([await version("en"), await version("fr")]).toEqual([en, fr]);
    await updateRows(templates, { active_version: null }, eq(templates.id, fr));
    expect(await version("fr")).toBe(en);
    await deleteRows(rules, eq(rules.company_id, companyId));
    await send(email, owner, { method: "DELETE", path: `/api/v1/templates/${en}` });
    expect(await version("en")).toBe(en + 1);
  });

  it("is the same version for a whole batch, even when a new version is published", async () => {
    const { companyId, owner, key, groupMessage } = await startSender();
    const { template } = await storeRule(companyId, { eventType: GROUP });
    await publish(owner, template.id, { subject: "Second", document: paragraphDocument("Two") });
    const waiting = await startEmail();
    const { to, variables, ...shared } = groupMessage();
    const items = ["a@example.com", "b@example.com"].map((address) => ({ to: { email: address }, variables }));
    const response = await waiting.call("/api/v1/send/batch", { bearer: key, json: { ...shared, items } });
    const { accepted } = await response.json<{ accepted: Item[] }>();
    await publish(owner, template.id, { subject: "Third", document: paragraphDocument("Three") });
    await deleteRows(rules, eq(rules.company_id, companyId));
    expect((await send(email, owner, { method: "DELETE", path: `/api/v1/templates/${template.id}` })).status).toBe(204);
    const harness = startDelivery();
    await harness.consumeIds(
      accepted.map(({ id }) => id.slice(4)),
      "transactional",
    );
    expect(harness.calls.map(({ mail }) => mail.subject)).toEqual(["Second", "Second"]);
    for (const item of accepted) expect(await rowOf(item)).toMatchObject({ status: "sent", template_version: 2 });
  });

  it("has no version when the recipient is suppressed, and a repeated request returns the first response", async () => {
    const { companyId, owner, post, groupMessage } = await startSender();
    const { template } = await storeRule(companyId, { eventType: GROUP });
    await publish(owner, template.id, { subject: "Ours", document: paragraphDocument("Two") });
    recordMails();
    const body = groupMessage({ idempotency_key: "once" });
    const waiting = await startEmail();
    const first = await post(body, waiting);
    expect(first.item).toMatchObject({ template_version: 2 });
    expect((await post(body, waiting)).item).toEqual(first.item);
    const json = { email: "mina@example.com" };
    await send(email, owner, { method: "POST", path: "/api/v1/suppressions", json });
    const { item } = await post(groupMessage(), waiting);
    expect(item).toMatchObject({ status: "suppressed", template_version: null });
    expect(await rowOf(item)).toMatchObject({ version_id: null, template_version: null, default_checksum: null });
  });

  it("needs no default content if there is a custom template, and returns 503 without both", async () => {
    const { companyId, post, groupMessage } = await startSender();
    recordMails();
    const isOfEvent = eq(default_contents.event_type, GROUP);
    const stored = await readRows(default_contents, isOfEvent);
    await updateRows(default_contents, { current: false }, isOfEvent);
    try {
      expect(await problemOf((await post(groupMessage())).response)).toEqual([503, "library_not_synced"]);
      await storeRule(companyId, { eventType: GROUP });
      expect((await post(groupMessage())).item).toMatchObject({ template_version: 1, status: "sent" });
    } finally {
      for (const { checksum, current } of stored) {
        await updateRows(default_contents, { current }, eq(default_contents.checksum, checksum));
      }
    }
  });

  it("is missing when its version is deleted, and the message fails", async () => {
    const { companyId, owner, post, groupMessage } = await startSender();
    const { template } = await storeRule(companyId, { eventType: GROUP });
    await publish(owner, template.id, { subject: "Ours", document: paragraphDocument("Two") });
    const { item } = await post(groupMessage(), await startEmail());
    await deleteRows(template_versions, eq(template_versions.template_id, template.id));
    await startDelivery().consumeIds([item?.id.slice(4) ?? ""], "transactional");
    expect(await rowOf(item)).toMatchObject({ status: "failed", last_error_code: "template_missing" });
  });
});

it("lists auth.example.com as a host for sign-in links in the tests", () => {
  expect(settingsOf(testEnv).authLinkHosts).toContain("auth.example.com");
});
