import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runBuild } from "../../cli/commands/build.ts";
import { companies, memberships, sessions, sign_in_requests, users } from "../../db/identity/schema";
import { makeProject } from "../support/cli/project.ts";
import { serveStatic } from "../support/cli/static-server.ts";
import { readSignInMail } from "../support/mail/maildev";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import type { Platform } from "../support/platform/platform";
import { sharePlatform } from "../support/platform/shared-platform";
import { findingsOf } from "../support/shell/axe.ts";
import {
  account,
  requestLink as requestLinkAt,
  type ShellSite,
  signIn as signInAt,
  startShellSite,
} from "../support/shell/shell-site.ts";

let platform: Platform;
let browser: Browser;
let site: ShellSite;
let shell = "";

beforeAll(async () => {
  if (!hasChromium) return;
  // All these users share one IP address and one company.
  platform = await sharePlatform();
  site = await startShellSite({ type: "platform", url: `${platform.url}/identity`, companyId: 1 });
  shell = site.url;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await platform?.close();
});

let userCount = 0;
const newEmailAddress = () => {
  userCount += 1;
  return `shell${userCount}@example.com`;
};

const requestLink = (page: Page, email: string, path = "/orders") => requestLinkAt(platform, page, shell + path, email);
const signIn = (page: Page, email: string) => signInAt(platform, page, `${shell}/orders`, email);

/** Counts the requests of pages to an endpoint of identity. */
function countCalls(all: BrowserContext, path: string) {
  const requests: string[] = [];
  all.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes(path)) requests.push(request.url());
  });
  return requests;
}

/** Makes the tokens of all tabs due together: advances their clocks by 4 minutes and focuses each of them. */
async function makeDue(tabs: Page[]) {
  const time = Date.now() + 240_000;
  await Promise.all(tabs.map((page) => page.clock.setFixedTime(time)));
  await Promise.all(tabs.map((page) => page.evaluate(() => void dispatchEvent(new Event("focus")))));
}

describe.skipIf(!hasChromium)("sign-in", () => {
  it("redirects from a guarded address to the sign-in and back after a typed code, and stores no access token", async () => {
    const { page, context: browserContext, errors } = await openPage(browser);
    const email = newEmailAddress();
    await page.goto(`${shell}/orders?view=open`);
    await page.waitForURL(`${shell}/login?next=${encodeURIComponent("/orders?view=open")}`);
    const { code } = await requestLink(page, email, "/orders?view=open");
    await page.getByText("The link works for 30 minutes.").waitFor();
    const field = page.getByLabel("Sign-in code");
    await field.fill("bcdf 2222");
    await page.getByText("This code is not valid. 4 tries are left.").waitFor();
    await field.fill("");
    await field.pressSequentially(code.toLowerCase().replace("-", " "));
    await page.waitForURL(`${shell}/orders?view=open`);
    await account(page).waitFor();
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(stored).not.toContain("eyJ");
    expect(stored).toContain("prt_");
    expect(stored).not.toContain("pending-link");
    await page.reload();
    await account(page).waitFor();
    expect(errors).toEqual([]);
    await browserContext.close();
  });

  it("signs in the tab that opens the link, names the account, and continues the waiting tab", async () => {
    const { page, context: browserContext, errors } = await openPage(browser);
    const email = newEmailAddress();
    const { link } = await requestLink(page, email);
    const second = await browserContext.newPage();
    await second.goto(link);
    await second.getByRole("button", { name: "Sign in" }).click();
    await second.waitForURL(`${shell}/orders`);
    await second.getByText(`Signed in as ${email}`).waitFor();
    await page.waitForURL(`${shell}/orders`);
    await account(page).waitFor();
    // The email address is not stored, and the tab's next sign-in starts from its beginning.
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
    expect(await second.evaluate(() => history.length)).toBeLessThanOrEqual(3);
    expect(errors).toEqual([]);
    await browserContext.close();
  });

  it("forgets a tab's pending link after a sign-out, wherever the tab navigated", async () => {
    const { page, context: browserContext } = await openPage(browser);
    await requestLink(page, newEmailAddress());
    const second = await browserContext.newPage();
    await signIn(second, newEmailAddress());
    await page.waitForURL(`${shell}/orders`);
    // Simulates a tab that was frozen during the sign-in.
    await page.evaluate(() => sessionStorage.setItem("platform:pending-link", "{}"));
    await account(second).click();
    await second.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL(/\/login\?next=%2Forders$/);
    await page.getByLabel("Email address").waitFor();
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
    await browserContext.close();
  });

  it("asks which account to keep when a link is opened while another user is signed in", async () => {
    const { page, context: browserContext } = await openPage(browser);
    const [first, otherEmail] = [newEmailAddress(), newEmailAddress()];
    await signIn(page, first);
    const { page: elsewhere, context: otherContext } = await openPage(browser);
    const { link } = await requestLink(elsewhere, otherEmail);
    await otherContext.close();
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: `Sign in as ${otherEmail}?` }).waitFor();
    await page.getByRole("button", { name: `Keep ${first}` }).click();
    await account(page).click();
    await page.getByText(first).first().waitFor();
    const [user] = await platform.rows.identity.readRows(users, eq(users.email, otherEmail));
    await expect
      .poll(async () => {
        const all = await platform.rows.identity.readRows(sessions, eq(sessions.user_id, user?.id ?? 0));
        return all.every(({ revoked_at }) => revoked_at !== null);
      })
      .toBe(true);
    await browserContext.close();
  });

  it("shows that access waits for an administrator, and accepts the same link after the grant", async () => {
    const email = newEmailAddress();
    const { page, context: browserContext } = await openPage(browser);
    await platform.rows.identity.updateRows(companies, { access_mode: "invite" }, eq(companies.id, 1));
    try {
      const { link } = await requestLink(page, email);
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Your request is waiting" }).waitFor();
      expect(page.url()).toContain("/login/callback");
      expect(page.url()).not.toContain("platform_auth_code");
      await platform.rows.identity.updateRows(companies, { access_mode: "public" }, eq(companies.id, 1));
      await page.getByRole("button", { name: "Check again" }).click();
      await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
      // The rejected sign-in did not consume the link.
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in" }).click();
      await account(page).waitFor();
    } finally {
      await platform.rows.identity.updateRows(companies, { access_mode: "public" }, eq(companies.id, 1));
      await browserContext.close();
    }
  });

  it("rejects a blocked account, by link and by code, and offers another account", async () => {
    const email = newEmailAddress();
    const { page: before, context: earlier } = await openPage(browser);
    await signIn(before, email);
    await earlier.close();
    const [user] = await platform.rows.identity.readRows(users, eq(users.email, email));
    const denied = { state: "denied", state_reason: "admin", state_at: Date.now() } as const;
    await platform.rows.identity.updateRows(memberships, denied, eq(memberships.user_id, user?.id ?? 0));
    const { page, context: browserContext } = await openPage(browser);
    await requestLink(page, email);
    const { link, code } = readSignInMail(await platform.inbox.waitForMail(email, 2));
    // A line of the mail that is pasted beside the field.
    await page.getByLabel("Sign-in code").waitFor();
    await page.evaluate((text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, `Your code is ${code}, thanks`);
    await page.getByRole("heading", { name: "You do not have access" }).waitFor();
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "You do not have access" }).waitFor();
    expect(page.url()).toContain(`${shell}/login/callback`);
    expect(await findingsOf(page)).toEqual([]);
    expect(await page.evaluate(() => localStorage.getItem("platform:session"))).toBeNull();
    await page.getByRole("button", { name: "Use another account" }).click();
    await page.getByLabel("Email address").waitFor();
    await browserContext.close();
  });

  it("shows that a code and a link have expired, and sends a new mail whose code and link work", async () => {
    const email = newEmailAddress();
    const { page, context: browserContext } = await openPage(browser);
    const { link, code } = await requestLink(page, email);
    const { email: address, created_at, expires_at } = sign_in_requests;
    const expired = { [created_at.name]: Date.now() - 1_000_000, [expires_at.name]: Date.now() - 1 };
    await platform.rows.identity.updateRows(sign_in_requests, expired, eq(address, email));
    await page.getByLabel("Sign-in code").fill(code);
    await page.getByRole("alert").waitFor();
    expect(await page.evaluate(() => localStorage.getItem("platform:session"))).toBeNull();
    await page.goto(link);
    await page.getByText("This link has expired or was already used").waitFor();
    await browserContext.close();
    const { page: nextPage, context: later } = await openPage(browser);
    await requestLink(nextPage, email);
    await nextPage.getByLabel("Sign-in code").fill(readSignInMail(await platform.inbox.waitForMail(email, 2)).code);
    await account(nextPage).waitFor();
    await later.close();
  });

  it("shows its own texts for error codes, and no error text from the address", async () => {
    const { page, context: browserContext } = await openPage(browser);
    const query = "platform_oauth_error=Call%20this%20number&platform_oauth_error_code=";
    await page.goto(`${shell}/login/callback?${query}redirect_not_allowed`);
    await page.getByText(`An owner of the company has to add ${shell}`).waitFor();
    expect(await page.locator("body").textContent()).not.toContain("Call this number");
    await page.goto(`${shell}/login?${query}oauth_provider_denied&next=/orders`);
    await page.getByText("The sign-in was cancelled").waitFor();
    await page.waitForURL(`${shell}/login?next=%2Forders`);
    await page.goto(`${shell}/login/callback?state=unknown&platform_auth_code=abc`);
    await page.getByRole("heading", { name: "This sign-in is no longer known" }).waitFor();
    expect(page.url()).not.toContain("abc");
    await browserContext.close();
  });

  it("hides a method that is disabled while its form is open", async () => {
    const { page, context: browserContext } = await openPage(browser);
    await page.goto(`${shell}/login`);
    await page.getByLabel("Email address").fill(newEmailAddress());
    await platform.rows.identity.updateRows(companies, { enable_magic_link: false }, eq(companies.id, 1));
    try {
      await page.getByRole("button", { name: "Send sign-in link" }).click();
      await page.getByRole("heading", { name: "No sign-in method is available" }).waitFor();
    } finally {
      await platform.rows.identity.updateRows(companies, { enable_magic_link: true }, eq(companies.id, 1));
    }
    await browserContext.close();
  });
});

describe.skipIf(!hasChromium)("sign-in on a built site", () => {
  it("signs in by the emailed link when the host adds a slash to the callback", async (context) => {
    const backend = { type: "platform", url: `${platform.url}/identity`, companyId: 1 };
    const navigation = [{ label: "Orders", path: "orders", url: "/__welcome", requiresAuth: true }];
    const root = makeProject(context, {
      "platform.config.json": JSON.stringify({ title: "Aster", navigation, backend }),
    });
    const silent = { out: () => undefined, err: () => undefined };
    expect(await runBuild({ root, target: "web", isStrict: false }, silent, root)).toBe(0);
    const built = await serveStatic(context, join(root, "dist/web"));
    const { page, context: browserContext } = await openPage(browser);
    const { link } = await requestLinkAt(platform, page, `${built}/orders/`, newEmailAddress());
    const navigations: string[] = [];
    page.on(
      "response",
      (response) => void (response.status() === 301 && navigations.push(new URL(response.url()).pathname)),
    );
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await account(page).waitFor();
    expect(navigations).toContain("/login/callback");
    expect(new URL(page.url()).pathname).toMatch(/^\/orders\/?$/);
    await browserContext.close();
  });
});

describe.skipIf(!hasChromium)("tabs of one browser", () => {
  it("refresh their token once in total when it is due", async () => {
    const { page: first, context: browserContext } = await openPage(browser);
    await signIn(first, newEmailAddress());
    const otherTabs = await Promise.all([browserContext.newPage(), browserContext.newPage()]);
    for (const page of otherTabs) {
      await page.goto(`${shell}/orders`);
      await account(page).waitFor();
    }
    const calls = countCalls(browserContext, "/api/v1/token");
    const tabs = [first, ...otherTabs];
    const generation = () =>
      first.evaluate(() => JSON.parse(localStorage.getItem("platform:session") ?? "{}").generation);
    const before = await generation();
    await makeDue(tabs);
    await expect.poll(generation).toBe(before + 1);
    // Takes the refresh lock twice in every tab. A tab that still had to refresh would take the lock in between, so its
    // request would be counted below.
    for (const _attempt of ["first", "second"])
      await Promise.all(
        tabs.map((page) => page.evaluate(() => navigator.locks.request("platform:refresh", () => null))),
      );
    expect(calls).toHaveLength(1);
    expect(await generation()).toBe(before + 1);
    await browserContext.close();
  });

  it("share their token with a new tab, without a request", async () => {
    const { page: first, context: browserContext } = await openPage(browser);
    await signIn(first, newEmailAddress());
    const calls = countCalls(browserContext, "/api/v1/token");
    const second = await browserContext.newPage();
    await second.goto(`${shell}/orders`);
    await account(second).waitFor();
    expect(calls).toEqual([]);
    await browserContext.close();
  });

  it("all show a sign-out within a second", async () => {
    const { page: first, context: browserContext } = await openPage(browser);
    await signIn(first, newEmailAddress());
    const otherTabs = await Promise.all([browserContext.newPage(), browserContext.newPage()]);
    for (const page of otherTabs) {
      await page.goto(`${shell}/orders`);
      await account(page).waitFor();
    }
    await account(first).click();
    const startedAt = performance.now();
    await first.getByRole("menuitem", { name: "Sign out" }).click();
    await Promise.all([first, ...otherTabs].map((page) => page.waitForURL(/\/login\?next=%2Forders$/)));
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(await first.evaluate(() => localStorage.getItem("platform:session"))).toBeNull();
    await browserContext.close();
  });

  it("show that the session ended, keep the screen, and return to it after a sign-in", async () => {
    const { page, context: browserContext } = await openPage(browser);
    const email = newEmailAddress();
    await signIn(page, email);
    const otherTab = await browserContext.newPage();
    await otherTab.goto(`${shell}/orders`);
    await account(otherTab).waitFor();
    const [user] = await platform.rows.identity.readRows(users, eq(users.email, email));
    await platform.rows.identity.updateRows(sessions, { revoked_at: Date.now() }, eq(sessions.user_id, user?.id ?? 0));
    await makeDue([page]);
    for (const tab of [page, otherTab]) {
      await tab.getByRole("heading", { name: "Your session ended" }).waitFor();
      expect(tab.url()).toBe(`${shell}/orders`);
    }
    await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/login\?next=%2Forders$/);
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Send sign-in link" }).click();
    const { code } = readSignInMail(await platform.inbox.waitForMail(email, 2));
    await page.getByLabel("Sign-in code").fill(code);
    await page.waitForURL(`${shell}/orders`);
    await otherTab.getByRole("heading", { name: "Your session ended" }).waitFor({ state: "detached" });
    await browserContext.close();
  });
});
