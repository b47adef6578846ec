import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessions, sign_in_requests, users } from "../../db/identity/schema";
import { type Mail, readSignInMail } from "../support/mail/maildev";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import type { Platform } from "../support/platform/platform";
import { sharePlatform } from "../support/platform/shared-platform";
import { findingsEverywhere } from "../support/shell/axe.ts";
import {
  account,
  openSignedIn,
  requestLink as requestLinkAt,
  type ShellSite,
  startShellSite,
  tokenBy,
} from "../support/shell/shell-site.ts";

let platform: Platform;
let browser: Browser;
let site: ShellSite;
const api = (path: string) => `${platform.url}/identity/api/v1/${path}`;

beforeAll(async () => {
  if (!hasChromium) return;
  // All these users share one IP address and one company.
  platform = await sharePlatform();
  site = await startShellSite({ type: "platform", url: `${platform.url}/identity`, companyId: 1 });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await platform?.close();
});

let userCount = 0;
const newEmailAddress = (): string => {
  userCount += 1;
  return `person${userCount}@example.com`;
};

const requestLink = (page: Page, email: string) => requestLinkAt(platform, page, `${site.url}/orders`, email);

/** Opens the mail in a new tab and clicks its button, which opens identity's confirmation page. */
async function clickInMail(context: BrowserContext, mail: Mail, label: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(platform.inbox.pageOf(mail));
  await page.getByRole("link", { name: label, exact: true }).click();
  await page.waitForURL(/\/magic-link\/verify/);
  return page;
}

/** Opens a link in a new tab. */
async function openLink(context: BrowserContext, link: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(link);
  return page;
}

const press = (page: Page, name = "Sign in") => page.getByRole("button", { name }).click();

async function signOut(page: Page): Promise<void> {
  await page.bringToFront();
  await account(page).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(/\/login\?next=%2Forders$/);
}

describe.skipIf(!hasChromium)("a user in a browser", () => {
  it("requests a link, signs in from the mail, refreshes the session on a reload, and signs out", async () => {
    const { page: first, context, errors } = await openPage(browser);
    const email = "owner@example.com";
    await requestLink(first, email);
    await first.close();
    const mail = await platform.inbox.waitForMail(email);
    expect(mail.subject).toContain("Aster Trading");
    const page = await clickInMail(context, mail, "Sign in");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Sign in to Aster Trading");
    expect(await page.locator("main").textContent()).toContain("o***@example.com");

    const claims = decodeJwt(await tokenBy(page, "oauth/session", () => press(page)));
    await account(page).waitFor();
    await page.waitForURL(`${site.url}/orders`);
    expect(claims).toMatchObject({
      iss: `${platform.url}/identity`,
      company_id: 1,
      token_type: "access",
      email,
      user_metadata: { is_company_owner: true },
    });

    const token = await tokenBy(page, "token", () => page.reload());
    await account(page).waitFor();
    const renewed = decodeJwt(token);
    expect(renewed.sid).toBe(claims.sid);
    expect(renewed.jti).not.toBe(claims.jti);

    await signOut(page);
    const headers = { authorization: `Bearer ${token}` };
    await expect.poll(async () => (await fetch(api("user"), { headers })).status).toBe(401);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("signs in and out in French", async () => {
    const { page: first, context, errors } = await openPage(browser, { locale: "fr-CA" });
    const email = newEmailAddress();
    await first.goto(`${site.url}/orders`);
    await first.getByLabel("Adresse e-mail").fill(email);
    expect(await first.locator("html").getAttribute("lang")).toBe("fr");
    await press(first, "Envoyer le lien de connexion");
    const mail = await platform.inbox.waitForMail(email);
    expect(mail.html).toMatch(/<html[^>]* lang="fr"/);
    const page = await clickInMail(context, mail, "Se connecter");
    expect(await page.locator("html").getAttribute("lang")).toBe("fr");
    await press(page, "Se connecter");
    await page.getByText(`Connexion établie\u00a0: ${email}`).waitFor();
    await page.getByRole("button", { name: /^Compte de/ }).click();
    await page.getByRole("menuitem", { name: "Se déconnecter" }).click();
    await page.getByLabel("Adresse e-mail").waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("is asked to sign in again by a tab with an unknown refresh token", async () => {
    const { page, context, errors } = await openSignedIn(browser, platform, `${site.url}/orders`, newEmailAddress());
    // Replaces the stored refresh token, as if the service had lost its data.
    await page.evaluate(() => {
      const name = "platform:session";
      const record = JSON.parse(localStorage.getItem(name) ?? "{}");
      localStorage.setItem(name, JSON.stringify({ ...record, refreshToken: `prt_${"x".repeat(43)}` }));
    });
    await page.reload();
    await page.waitForURL(`${site.url}/login?next=%2Forders`);
    await page.getByLabel("Email address").waitFor();
    expect(await account(page).count()).toBe(0);
    expect(await page.evaluate(() => localStorage.getItem("platform:session"))).toContain('"refreshToken":null');
    expect(errors).toEqual([]);
    await context.close();
  });

  it("can sign out of a session that was ended elsewhere", async () => {
    const email = newEmailAddress();
    const { page, context, errors } = await openSignedIn(browser, platform, `${site.url}/orders`, email);
    // A page that reads the pins with an ended session notices the end by itself.
    await page.waitForFunction(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/api/v1/preferences")),
    );
    const [user] = await platform.rows.identity.readRows(users, eq(users.email, email));
    const isOfUser = eq(sessions.user_id, user?.id ?? 0);
    await platform.rows.identity.updateRows(sessions, { revoked_at: Date.now() }, isOfUser);
    await signOut(page);
    await page.getByLabel("Email address").waitFor();
    expect(await page.evaluate(() => localStorage.getItem("platform:session"))).toBeNull();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("stays signed in when another sign-in fails", async () => {
    const { page, context, errors } = await openSignedIn(browser, platform, `${site.url}/orders`, newEmailAddress());
    await page.goto(`${site.url}/login/callback?platform_auth_code=${"x".repeat(43)}`);
    await page.getByRole("heading", { name: "This sign-in is no longer valid" }).waitFor();
    await page.getByText(/^Code auth_code_invalid/).waitFor();
    await tokenBy(page, "token", () => page.goto(`${site.url}/orders`));
    await account(page).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe.skipIf(!hasChromium)("a user with a sign-in link", () => {
  it("sees that a used link is invalid, with a link to request a new one", async () => {
    const { page, context } = await openPage(browser);
    const { link } = await requestLink(page, newEmailAddress());
    const first = await openLink(context, link);
    // Of two tabs that were opened before the first click, only one can sign in.
    const secondTab = await openLink(context, link);
    await press(first);
    await account(first).waitFor();
    await press(secondTab);
    await secondTab.getByText("This link has expired or was already used").waitFor();
    await signOut(first);

    const later = await openLink(context, link);
    expect(await later.locator("body").getAttribute("data-error-code")).toBe("magic_link_invalid");
    expect(await later.locator("form").count()).toBe(0);
    await later.getByRole("link", { name: "Request a new link" }).click();
    await later.getByLabel("Email address").waitFor();
    expect(later.url()).toBe(`${site.url}/login`);
    await context.close();
  });

  it("sees that an expired link is invalid", async () => {
    const { page, context } = await openPage(browser);
    const email = newEmailAddress();
    const { link } = await requestLink(page, email);
    const isOfUser = eq(sign_in_requests.email, email);
    await platform.rows.identity.updateRows(sign_in_requests, { expires_at: 1 }, isOfUser);
    const opened = await openLink(context, link);
    expect(await opened.getByRole("heading").textContent()).toBe("This link has expired or was already used");
    await context.close();
  });

  it("is redirected with an auth code when scripts are disabled", async () => {
    const { page: requestPage, context: scripted } = await openPage(browser);
    const email = newEmailAddress();
    await requestLink(requestPage, email);
    await scripted.close();
    const { context } = await openPage(browser, { javaScriptEnabled: false });
    const page = await clickInMail(context, await platform.inbox.waitForMail(email), "Sign in");
    await press(page);
    await page.waitForURL(/platform_auth_code=[A-Za-z0-9_-]{43}$/);
    const [redirect_to, auth_code] = page.url().split(/[?&]platform_auth_code=/);
    expect(redirect_to).toBe(`${site.url}/login/callback?next=%2Forders`);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ auth_code, redirect_to });
    expect((await fetch(api("oauth/session"), { method: "POST", headers, body })).status).toBe(200);
    await context.close();
  });

  it("can use the link after a link scanner has loaded its page", async () => {
    const { page: requestPage, context } = await openPage(browser);
    const { link } = await requestLink(requestPage, newEmailAddress());
    const scanners: Record<string, string>[] = [{ purpose: "prefetch" }, { "sec-purpose": "prefetch;prerender" }, {}];
    for (const headers of scanners) {
      await fetch(link, { headers });
      await fetch(link, { method: "HEAD", headers });
    }
    const scanner = await openPage(browser);
    await scanner.page.goto(link, { waitUntil: "networkidle" });
    await scanner.context.close();
    const page = await openLink(context, link);
    await press(page);
    await account(page).waitFor();
    await context.close();
  });
});

describe.skipIf(!hasChromium)("a user at the sign-in page of identity", () => {
  it("chooses a language, sees a countdown before the next mail, and can enter another address after a wrong code", async () => {
    const { page, context } = await openPage(browser);
    const query = new URLSearchParams({ company_id: "1", redirect_to: `${site.url}/login/callback` });
    await page.goto(`${api("authorize")}?${query}`);
    await page.getByRole("link", { name: "Français" }).click();
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByLabel("Adresse e-mail").fill("attente@example.com");
    await page.getByRole("button", { name: "Envoyer le lien" }).click();
    const resendButton = page.getByRole("button", { name: /Renvoyer dans 0:[0-3][0-9]/ });
    await resendButton.waitFor();
    expect(await resendButton.isDisabled()).toBe(true);
    // A complete code submits itself.
    await page.getByLabel("Code de connexion").pressSequentially("bcdf2222");
    await page.getByText("Ce code n’est pas le bon.").waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByRole("link", { name: "Utiliser une autre adresse" }).click();
    await page.getByLabel("Adresse e-mail").waitFor();
    await context.close();
  });

  it("loads the page without a console message about a missing icon", async () => {
    const { page, context } = await openPage(browser);
    const consoleMessages: string[] = [];
    context.on("console", (message) => consoleMessages.push(message.text()));
    const query = new URLSearchParams({ company_id: "1", redirect_to: `${site.url}/login/callback` });
    await page.goto(`${api("authorize")}?${query}`);
    await page.getByLabel("Email address").waitFor();
    // The browser requests an icon after the page has loaded; a second navigation gives it time to do so.
    await page.goto(`${api("authorize")}?${query}`, { waitUntil: "networkidle" });
    expect(consoleMessages).toEqual([]);
    await context.close();
  });

  it("signs in with the link and with the code without scripts", async () => {
    const { page, context, errors } = await openPage(browser, { javaScriptEnabled: false });
    const query = new URLSearchParams({ company_id: "1", redirect_to: `${site.url}/login/callback` });
    for (const path of ["authorize", "authorize/"]) {
      await page.goto(`${api(path)}?${query}`);
      const address = `form-${path.length}@example.com`;
      await page.getByLabel("Email address").fill(address);
      await page.getByRole("button", { name: "Send sign-in link" }).click();
      await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
      const { link, code } = readSignInMail(await platform.inbox.waitForMail(address));
      if (path === "authorize") {
        await page.goto(link);
        await page.getByText("You requested this link in this browser").waitFor();
      } else {
        await page.getByLabel("Sign-in code").fill("2222-2222");
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("alert").filter({ hasText: "This code is incorrect." }).waitFor();
        await page.getByLabel("Sign-in code").fill(code);
      }
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL((url) => url.searchParams.has("platform_auth_code"));
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});
