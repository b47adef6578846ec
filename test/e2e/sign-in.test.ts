import { eq } from "drizzle-orm";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { companies, memberships, sign_in_requests, users } from "../../db/identity/schema";
import { type Mail, readSignInMail } from "../support/mail/maildev";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import { type Platform, startPlatform } from "../support/platform/platform";

let platform: Platform;
let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  // All of these people sit behind one address and belong to one company.
  platform = await startPlatform({ identity: { AUTH_RATE_LIMIT_MAGIC_LINK: "1000/min" } });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await platform?.close();
});

let people = 0;
const freshAddress = (): string => {
  people += 1;
  return `person${people}@example.com`;
};

/** Types an address on the sign-in page and reads the mail that arrives. */
async function requestMail(page: Page, address: string, button = "Send me a link"): Promise<Mail> {
  await page.goto(`${platform.url}/`);
  await page.locator("body[data-ready]").waitFor();
  await page.locator("#email").fill(address);
  await page.getByRole("button", { name: button, exact: true }).click();
  await page.locator("#status:not(:empty)").waitFor();
  return platform.inbox.waitForMail(address);
}

/** Clicks the button of the mail in the inbox, which opens the confirmation page in a tab of its own. */
async function clickInMail(context: BrowserContext, mail: Mail, label: string): Promise<Page> {
  const inbox = await context.newPage();
  await inbox.goto(platform.inbox.pageOf(mail));
  const opened = context.waitForEvent("page");
  await inbox.getByRole("link", { name: label, exact: true }).click({ modifiers: ["Control"] });
  const page = await opened;
  await page.waitForLoadState();
  return page;
}

async function expectSignedIn(page: Page, address: string): Promise<void> {
  await page.locator("#signed-in").waitFor();
  expect(await page.locator("#who").textContent()).toBe(address);
}

const claimsOf = async (page: Page) => JSON.parse((await page.locator("#claims").textContent()) ?? "{}");

describe.skipIf(!hasChromium)("a person in a browser", () => {
  it("asks for a link, opens it from the inbox, is signed in, refreshes and signs out", async () => {
    const { page: first, context, errors } = await openPage(browser);
    const mail = await requestMail(first, "owner@example.com");
    const edge = (id: string) => first.locator(id).evaluate((element) => getComputedStyle(element).borderLeftColor);
    expect(await edge("#status")).toBe(await edge("#request button"));
    expect(mail.subject).toContain("Demo");
    const page = await clickInMail(context, mail, "Sign in");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Sign in to Demo");
    expect(await page.locator("main").textContent()).toContain("o***@example.com");

    await page.getByRole("button", { name: "Sign in" }).click();
    await expectSignedIn(page, "owner@example.com");
    expect(page.url()).toBe(`${platform.url}/`);
    const claims = await claimsOf(page);
    expect(claims).toMatchObject({ iss: `${platform.url}/identity`, company_id: 1, token_type: "access" });
    expect(claims.user_metadata.is_company_owner).toBe(true);

    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("New tokens received.").waitFor();
    const renewed = await claimsOf(page);
    expect(renewed.sid).toBe(claims.sid);
    expect(renewed.jti).not.toBe(claims.jti);

    await page.reload();
    await expectSignedIn(page, "owner@example.com");
    const tokens = await page.evaluate(() => JSON.parse(sessionStorage.getItem("session") ?? "{}"));
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Signed out.").waitFor();
    const refused = await fetch(`${platform.url}/identity/api/v1/user`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(refused.status).toBe(401);
    expect(errors).toEqual([]);
    await context.close();
  });

  it.each(["Refresh", "Sign out"])(
    "is asked to sign in again when %s finds that the session is over",
    async (button) => {
      const { page, context } = await openPage(browser);
      const address = freshAddress();
      const { code } = readSignInMail(await requestMail(page, address));
      await page.getByLabel("Code").fill(code);
      await page.getByRole("button", { name: "Sign in with the code" }).click();
      await expectSignedIn(page, address);
      // As after a start anew: the tab still holds tokens of a session that nobody knows.
      await page.evaluate(() => {
        const session = JSON.parse(sessionStorage.getItem("session") ?? "{}");
        const [head, claims] = session.access_token.split(".");
        const ended = { ...session, access_token: `${head}.${claims}.AAAA`, refresh_token: "ended" };
        sessionStorage.setItem("session", JSON.stringify(ended));
      });
      await page.reload();
      await expectSignedIn(page, address);
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("alert").filter({ hasText: "token_invalid" }).waitFor();
      await page.locator("#email").waitFor();
      expect(await page.locator("#signed-in").isVisible()).toBe(false);
      await context.close();
    },
  );

  it("stays signed in when another sign-in fails", async () => {
    const { page, context, errors } = await openPage(browser);
    const address = freshAddress();
    const { code } = readSignInMail(await requestMail(page, address));
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Sign in with the code" }).click();
    await expectSignedIn(page, address);
    await page.goto(`${platform.url}/?platform_auth_code=${"x".repeat(43)}`);
    await page.getByRole("alert").filter({ hasText: "That did not work" }).waitFor();
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("New tokens received.").waitFor();
    await expectSignedIn(page, address);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("does all of it in French", async () => {
    const { page: first, context, errors } = await openPage(browser, { locale: "fr-CA" });
    const address = freshAddress();
    const mail = await requestMail(first, address, "Envoyez-moi un lien");
    expect(await first.locator("html").getAttribute("lang")).toBe("fr");
    expect(mail.html).toMatch(/<html[^>]* lang="fr"/);
    const page = await clickInMail(context, mail, "Se connecter");
    expect(await page.locator("html").getAttribute("lang")).toBe("fr");
    await page.getByRole("button", { name: "Se connecter" }).click();
    await expectSignedIn(page, address);
    await page.getByRole("button", { name: "Se déconnecter" }).click();
    await page.getByText("Déconnecté.").waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("types the code of the mail instead", async () => {
    const { page, context } = await openPage(browser);
    const address = freshAddress();
    const { code } = readSignInMail(await requestMail(page, address));
    await page.getByLabel("Code").fill(code.toLowerCase().replace("-", " "));
    await page.getByRole("button", { name: "Sign in with the code" }).click();
    await expectSignedIn(page, address);
    await context.close();
  });

  it("is told when a code is wrong, and may try again", async () => {
    const { page, context } = await openPage(browser);
    const address = freshAddress();
    const { code } = readSignInMail(await requestMail(page, address));
    await page.getByLabel("Code").fill(code.startsWith("2222") ? "3333-3333" : "2222-2222");
    await page.getByRole("button", { name: "Sign in with the code" }).click();
    await page.getByRole("alert").filter({ hasText: "sign_in_code_invalid" }).waitFor();
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Sign in with the code" }).click();
    await expectSignedIn(page, address);
    await context.close();
  });

  it("finds a link used up at the second opening, with a way to a new one", async () => {
    const { page, context } = await openPage(browser);
    const mail = await requestMail(page, freshAddress());
    const first = await clickInMail(context, mail, "Sign in");
    // A page opened twice before the first press must not sign in twice either.
    const twin = await clickInMail(context, mail, "Sign in");
    await first.getByRole("button", { name: "Sign in" }).click();
    await first.locator("#signed-in").waitFor();
    await twin.getByRole("button", { name: "Sign in" }).click();
    await twin.getByText("This link has expired or was already used.").waitFor();

    const later = await clickInMail(context, mail, "Sign in");
    expect(await later.locator("body").getAttribute("data-error-code")).toBe("magic_link_invalid");
    expect(await later.locator("form").count()).toBe(0);
    await later.getByRole("link", { name: "Ask for a new link" }).click();
    await later.locator("#email").waitFor();
    await context.close();
  });

  it("finds a link ended after its life", async () => {
    const { page, context } = await openPage(browser);
    const address = freshAddress();
    const mail = await requestMail(page, address);
    const isTheirs = eq(sign_in_requests.email, address);
    await platform.rows.identity.updateRows(sign_in_requests, { expires_at: 1 }, isTheirs);
    const opened = await clickInMail(context, mail, "Sign in");
    expect(await opened.getByRole("heading").textContent()).toBe("This link has expired or was already used.");
    await context.close();
  });

  it("comes back with a reason when the company does not let the person in, and in once it does", async () => {
    const { page, context } = await openPage(browser);
    const address = freshAddress();
    await platform.rows.identity.updateRows(companies, { access_mode: "invite" }, eq(companies.id, 1));
    const mail = await requestMail(page, address);
    const opened = await clickInMail(context, mail, "Sign in");
    await opened.getByRole("button", { name: "Sign in" }).click();
    await opened.getByRole("alert").filter({ hasText: "access_pending" }).waitFor();
    expect(opened.url()).toBe(`${platform.url}/`);

    const [person] = await platform.rows.identity.readRows(users, eq(users.email, address));
    const isTheirs = eq(memberships.user_id, person?.id ?? 0);
    await platform.rows.identity.updateRows(memberships, { state: "allowed" }, isTheirs);
    await platform.rows.identity.updateRows(companies, { access_mode: "public" }, eq(companies.id, 1));
    const again = await clickInMail(context, mail, "Sign in");
    await again.getByRole("button", { name: "Sign in" }).click();
    await expectSignedIn(again, address);
    await context.close();
  });

  it("signs in with scripts disabled, as far as the application's own page", async () => {
    const { page: asking, context: scripted } = await openPage(browser);
    const mail = await requestMail(asking, freshAddress());
    await scripted.close();
    const { context } = await openPage(browser, { javaScriptEnabled: false });
    const page = await clickInMail(context, mail, "Sign in");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/platform_auth_code=[A-Za-z0-9_-]{43}$/);
    const body = {
      auth_code: new URL(page.url()).searchParams.get("platform_auth_code"),
      redirect_to: `${platform.url}/`,
    };
    const response = await fetch(`${platform.url}/identity/api/v1/oauth/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    await context.close();
  });

  it("keeps the link when a scanner's browser only loads the page", async () => {
    const { page: asking, context } = await openPage(browser);
    const address = freshAddress();
    const { link } = readSignInMail(await requestMail(asking, address));
    for (const headers of [{ purpose: "prefetch" }, { "sec-purpose": "prefetch;prerender" }, {}] as Record<
      string,
      string
    >[]) {
      await fetch(link, { headers });
      await fetch(link, { method: "HEAD", headers });
    }
    const scanner = await openPage(browser);
    await scanner.page.goto(link, { waitUntil: "networkidle" });
    await scanner.context.close();
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expectSignedIn(page, address);
    await context.close();
  });
});
