import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { audit_log } from "../../../db/email/schema";
import { expectGuards, problemOf, send, startCompany } from "../../support/email/admin";
import { createKey, magicLink, startEmail } from "../../support/email/email";
import { readRows } from "../../support/email/rows";

const PATH = "/api/v1/branding";
const BRANDING = {
  primary_color: "#0A5C45",
  logo_url: "https://cdn.aster.example/logo.png",
  logo_dark_url: "https://cdn.aster.example/dark.png",
  postal_address: "Aster Labs, 8 rue des Lilas, 69001 Lyon",
  footer_text: "Questions? Write to help@aster.example.",
  footer_texts: { en: "", fr: "Une question ? Écrivez à help@aster.example." },
  social_links: { linkedin: "https://www.linkedin.com/company/aster", x: "https://x.com/aster" },
};

type Mail = { from: string; subject: string; html: string; text: string };

afterEach(() => vi.unstubAllGlobals());

/** Collects the mails that the provider receives from now on. */
function catchMails(): Mail[] {
  const mails: Mail[] = [];
  vi.stubGlobal("fetch", async (_url: unknown, init: RequestInit = {}) => {
    mails.push(JSON.parse(String(init.body)));
    return Response.json({ id: `prov-${mails.length}` });
  });
  return mails;
}

describe("branding", () => {
  it.each(["GET", "PUT"])("requires the credentials of an administrative route for %s", async (method) => {
    await expectGuards(await startEmail(), { method, path: PATH, ...(method === "PUT" ? { json: {} } : {}) });
  });

  it("is empty at first, keeps omitted fields, and clears fields that are empty strings", async () => {
    const email = await startEmail();
    const { companyId, owner, staff } = await startCompany(email);
    const empty = {
      ...{ primary_color: "", logo_url: "", logo_dark_url: "", postal_address: "", footer_text: "" },
      footer_texts: { en: "", fr: "" },
      social_links: {},
    };
    const first = await send(email, owner, { method: "GET", path: PATH });
    expect(await first.json()).toEqual({ company_id: companyId, ...empty, updated_at: null });
    const put = async (json: unknown, bearer = owner, path = PATH) =>
      (await send(email, bearer, { method: "PUT", path, json })).json();
    expect(await put(BRANDING)).toEqual({
      company_id: companyId,
      ...BRANDING,
      primary_color: "#0a5c45",
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(await put({ logo_url: "" }, staff, `${PATH}?company_id=${companyId}`)).toMatchObject({
      ...BRANDING,
      primary_color: "#0a5c45",
      logo_url: "",
    });
    // A language that is missing keeps its footer.
    const cleared = { en: "Questions?", fr: "" };
    expect(await put({ footer_texts: { en: "Questions?" } })).toMatchObject({
      footer_texts: { ...cleared, fr: BRANDING.footer_texts.fr },
    });
    const { x } = BRANDING.social_links;
    const changed = { footer_texts: { fr: "" }, social_links: { linkedin: "" } };
    expect(await put(changed)).toMatchObject({ footer_texts: cleared, social_links: { x } });
    const response = await send(email, owner, { method: "GET", path: PATH });
    expect(await response.json()).toMatchObject({
      logo_url: "",
      footer_text: BRANDING.footer_text,
      footer_texts: cleared,
    });
    const entries = await readRows(audit_log, eq(audit_log.company_id, companyId));
    expect(entries.map(({ action, target, changes }) => [action, target, JSON.parse(changes)])).toEqual([
      ["branding.saved", "branding", { fields: expect.arrayContaining(Object.keys(BRANDING)) }],
      ["branding.saved", "branding", { fields: ["logo_url"] }],
      ["branding.saved", "branding", { fields: ["footer_texts"] }],
      ["branding.saved", "branding", { fields: ["footer_texts", "social_links"] }],
    ]);
  });

  it("rejects a colour followed by other CSS, rejects a footer with a link, and stores none of the fields", async () => {
    const email = await startEmail();
    const { owner } = await startCompany(email);
    const bad = { ...BRANDING, primary_color: "red;background:url(x)", footer_text: "see https://evil.test" };
    expect(await problemOf(await send(email, owner, { method: "PUT", path: PATH, json: bad }))).toEqual([
      400,
      "validation_failed",
      { primary_color: ["invalid"], footer_text: ["literal_url"] },
    ]);
    const response = await send(email, owner, { method: "GET", path: PATH });
    expect(await response.json()).toMatchObject({ primary_color: "", logo_url: "", updated_at: null });
  });
});

describe("a mail of a company with branding", () => {
  it("contains colour, logo, address and footer, even in sign-in mail, without another round trip", async () => {
    const mails = catchMails();
    const email = await startEmail();
    const { companyId, owner } = await startCompany(email);
    const { key } = await createKey();
    const sendMail = async () => {
      const response = await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId) });
      expect(response.status).toBe(202);
      return email.acceptTripsOf(response);
    };
    await sendMail();
    const before = await sendMail();
    await send(email, owner, { method: "PUT", path: PATH, json: BRANDING });
    expect(await sendMail()).toBe(before);
    const [, plain, branded] = mails;
    expect(plain?.html).not.toMatch(/#0a5c45|logo\.png|Lilas/);
    expect(plain?.text).toContain("Replies to this email are not read.");
    expect(branded?.html).toContain('bgcolor="#0a5c45"');
    expect(branded?.html).toContain('<img src="https://cdn.aster.example/logo.png" alt="Aster Labs"');
    expect(branded?.html).toContain('<img src="https://cdn.aster.example/dark.png" alt="Aster Labs"');
    expect(branded?.text).toContain("8 rue des Lilas, 69001 Lyon");
    expect(branded?.text).toContain("help@aster.example");
    expect(branded?.text).not.toContain("Replies to this email are not read.");
  });

  it("names the company and the platform in From", async () => {
    const mails = catchMails();
    const email = await startEmail();
    const { companyId } = await startCompany(email);
    const { key } = await createKey();
    await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId) });
    const variables = { ...magicLink(companyId).variables, company_name: "platform" };
    await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId, { variables }) });
    expect(mails.map(({ from }) => from)).toEqual([
      '"Aster Labs via Platform" <no-reply@platform.example.com>',
      '"Platform" <no-reply@platform.example.com>',
    ]);
  });

  it("contains no branding of the company when the request asks for the platform sender", async () => {
    const mails = catchMails();
    const email = await startEmail();
    const { companyId, owner } = await startCompany(email);
    await send(email, owner, { method: "PUT", path: PATH, json: BRANDING });
    const { key } = await createKey();
    await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId, { use_platform_sender: true }) });
    expect(mails).toHaveLength(1);
    expect(mails[0]?.html).not.toMatch(/#0a5c45|logo\.png|Lilas/);
  });
});

describe("text in auth mail", () => {
  it("contains no links and no invisible characters from variables", async () => {
    const mails = catchMails();
    const email = await startEmail();
    const { companyId } = await startCompany(email);
    const { key } = await createKey();
    const variables = {
      ...magicLink(companyId).variables,
      device: "\u202eChrome\u200b https://evil.example/x",
      country: "www.evil.example",
      link_lifetime: "evil.example\u2066",
    };
    await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId, { variables }) });
    expect(mails).toHaveLength(1);
    const { text = "", html = "" } = mails[0] ?? {};
    expect(text + html).not.toMatch(/evil\.example|[\u200b\u202e\u2066]/);
    expect(text).toContain("Requested from: Chrome https evil example x");
  });

  it("contains the reader's address instead of an invalid recipient_email", async () => {
    const mails = catchMails();
    const email = await startEmail();
    const { companyId } = await startCompany(email);
    const { key } = await createKey();
    const json = {
      company_id: companyId,
      template_key: "identity.user.invited",
      to: [{ email: "mina@example.com" }],
      variables: {
        company_name: "Aster Labs",
        invitation_url: "https://auth.example.com/open?token=t",
        recipient_email: "see https://evil.example",
      },
    };
    expect((await email.call("/api/v1/send", { bearer: key, json })).status).toBe(202);
    expect(mails[0]?.text).toContain("because mina@example.com was invited");
    expect(mails[0]?.text).not.toContain("evil");
  });
});
