import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSignInMail } from "../support/mail/maildev";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import type { Platform } from "../support/platform/platform";
import { addOAuthClient, signInAt as tokenOf } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";
import { account, openSignedIn, requestLink, type ShellSite, startShellSite } from "../support/shell/shell-site.ts";
import { type OpenIdServer, startOpenIdServer } from "../support/sign-in-sites/openid-server";

let platform: Platform;
let provider: OpenIdServer;
let browser: Browser;
let site: ShellSite;
let removeClient: () => Promise<void>;
const api = (path: string) => `${platform.url}/identity/api/v1/${path}`;

beforeAll(async () => {
  if (!hasChromium) return;
  platform = await sharePlatform();
  provider = await startOpenIdServer(api("oauth/callback"));
  const bearer = await tokenOf(platform, "owner@example.com");
  const client = { provider: "oidc", slug: "globex", label: "Globex", issuer: provider.issuer, ...provider.client };
  removeClient = await addOAuthClient(platform, bearer, client);
  site = await startShellSite({
    type: "platform",
    url: `${platform.url}/identity`,
    companyId: 1,
    login: { methods: ["oauth", "magic_link", "password"] },
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await provider?.stop();
  await removeClient?.();
  await platform?.close();
});

let userCount = 0;
const newEmailAddress = () => {
  userCount += 1;
  return `session${userCount}@example.com`;
};
const open = () => openSignedIn(browser, platform, `${site.url}/orders`, newEmailAddress());

describe.skipIf(!hasChromium)("a user with an account at an OpenID provider", () => {
  it("signs in with a PKCE challenge, the browser stores the provider as the last one used, and the callback address works once", async () => {
    const { page, context, errors } = await openPage(browser);
    await page.goto(`${site.url}/orders?a=1`);
    const authorizeRequest = page.waitForRequest((request) => request.url().includes("/api/v1/authorize"));
    await page.getByRole("button", { name: "Continue with Globex" }).click();
    const query = new URL((await authorizeRequest).url()).searchParams;
    expect(query.get("code_challenge_method")).toBe("S256");
    expect(query.get("redirect_to")).toMatch(/\/login\/callback\?state=[\w-]{22}&next=%2Forders%3Fa%3D1$/);
    await page.getByPlaceholder("Enter any login").fill("grace@globex.example");
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    const exchange = page.waitForRequest((request) => request.url().endsWith("/api/v1/oauth/session"));
    await page.getByRole("button", { name: "Continue" }).click();
    const requestBody = (await exchange).postDataJSON() as Record<string, string>;
    expect(requestBody.redirect_to).toBe(query.get("redirect_to"));
    expect(
      createHash("sha256")
        .update(requestBody.code_verifier ?? "")
        .digest("base64url"),
    ).toBe(query.get("code_challenge"));
    await page.waitForURL(`${site.url}/orders?a=1`);
    await account(page).waitFor();
    expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
    await account(page).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Continue with Globex" }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem("platform:last-login"))).toBe("oidc-globex");
    // The callback address of the completed sign-in cannot be used a second time.
    await page.goto(`${query.get("redirect_to")}&platform_auth_code=${requestBody.auth_code}`);
    await page.getByRole("heading", { name: "This sign-in is no longer known" }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe.skipIf(!hasChromium)("the shell's session", () => {
  it("survives an outage of the service, and the shell shows that it is reconnecting", async () => {
    const { page, context } = await open();
    await context.route("**/api/v1/token**", (route) => route.abort());
    await page.clock.setFixedTime(Date.now() + 290_000);
    await page.evaluate(() => void dispatchEvent(new Event("focus")));
    await page.getByText("Reconnecting").waitFor();
    expect(page.url()).toBe(`${site.url}/orders`);
    await context.unroute("**/api/v1/token**");
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByText("Reconnecting").waitFor({ state: "detached" });
    await account(page).waitFor();
    await context.close();
  });

  it("can be ended from the list of devices on another device, and the shell then shows that it ended", async () => {
    const email = newEmailAddress();
    const first = await openSignedIn(browser, platform, `${site.url}/orders`, email);
    const second = await openPage(browser);
    await second.page.goto(`${site.url}/login?next=/__settings/account`);
    await second.page.getByLabel("Email address").fill(email);
    await second.page.getByRole("button", { name: "Send sign-in link" }).click();
    const { code } = readSignInMail(await platform.inbox.waitForMail(email, 2));
    await second.page.getByLabel("Sign-in code").fill(code);
    await second.page.getByText("This device").waitFor();
    await second.page.getByRole("button", { name: /^Sign out Chrome/ }).click();
    await second.page.getByText("The device is signed out").waitFor();
    await first.page.clock.setFixedTime(Date.now() + 290_000);
    await first.page.evaluate(() => void dispatchEvent(new Event("focus")));
    await first.page.getByRole("heading", { name: "Your session ended" }).waitFor();
    await Promise.all([first.context.close(), second.context.close()]);
  });

  it("saves a new name in the account, and a colour scheme that also applies in another browser", async () => {
    const email = newEmailAddress();
    const { page, context } = await openSignedIn(browser, platform, `${site.url}/orders`, email);
    await page.goto(`${site.url}/__settings/account`);
    await page.getByLabel("Name").fill("Mina  Ågren");
    await page.getByRole("button", { name: "Save name" }).click();
    await page.getByRole("button", { name: "Account of Mina Ågren" }).waitFor();
    await page.goto(`${site.url}/__settings/appearance`);
    const saved = page.waitForRequest(
      (request) => request.method() === "PUT" && request.url().endsWith("/api/v1/preferences"),
    );
    await page.getByText("Dark", { exact: true }).click();
    expect((await saved).postDataJSON()).toEqual({ colorScheme: "dark" });
    await (await saved).response();
    await context.close();
    const otherBrowser = await openPage(browser);
    await otherBrowser.page.goto(`${site.url}/login`);
    await otherBrowser.page.getByLabel("Email address").fill(email);
    await otherBrowser.page.getByRole("button", { name: "Send sign-in link" }).click();
    const { code } = readSignInMail(await platform.inbox.waitForMail(email, 2));
    await otherBrowser.page.getByLabel("Sign-in code").fill(code);
    await account(otherBrowser.page).waitFor();
    await expect.poll(() => otherBrowser.page.evaluate(() => document.documentElement.dataset.scheme)).toBe("dark");
    await otherBrowser.context.close();
  });

  it("ends when the user deletes the account", async () => {
    const email = newEmailAddress();
    const { page, context } = await openSignedIn(browser, platform, `${site.url}/orders`, email);
    await page.goto(`${site.url}/__settings/account`);
    await page.getByRole("button", { name: "Delete account" }).click();
    const dialog = page.getByRole("dialog");
    const remove = dialog.getByRole("button", { name: "Delete account" });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
    await remove.click();
    await page.getByText("Your account is deleted").waitFor();
    expect(await page.evaluate(() => localStorage.getItem("platform:session"))).toBeNull();
    await context.close();
  });
});

describe.skipIf(!hasChromium)("a command line tool", () => {
  it("receives an auth code from the shell and exchanges it with its PKCE verifier", async () => {
    const arrived: string[] = [];
    const loopback = createServer((request, response) => {
      arrived.push(request.url ?? "");
      response.end("done");
    });
    await new Promise<void>((done) => loopback.listen(0, "127.0.0.1", done));
    const redirect = `http://127.0.0.1:${(loopback.address() as AddressInfo).port}/callback?state=s1`;
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const query = new URLSearchParams({ platform_cli_redirect: redirect, code_challenge: challenge });
    const { page, context } = await openPage(browser);
    const { link } = await requestLink(platform, page, `${site.url}/login?${query}`, newEmailAddress());
    expect(await page.getByLabel("Sign-in code").count()).toBe(0);
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/^http:\/\/127\.0\.0\.1/);
    const code = new URL(arrived[0] ?? "", redirect).searchParams.get("platform_auth_code");
    const response = await fetch(api("oauth/session"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ auth_code: code, redirect_to: redirect, code_verifier: verifier }),
    });
    expect(response.status).toBe(200);
    await context.close();
    loopback.close();
  });
});

describe.skipIf(!hasChromium)("a shell without a backend", () => {
  it("explains on the sign-in page that sign-in is not set up, and shows no link to sign in", async () => {
    const shellWithoutBackend = await startShellSite(undefined);
    const { page, context, errors } = await openPage(browser);
    await page.goto(`${shellWithoutBackend.url}/orders`);
    await page.getByRole("heading", { name: "Sign-in is not set up" }).waitFor();
    await page.goto(`${shellWithoutBackend.url}/home`);
    await page.getByRole("link", { name: "Home" }).first().waitFor();
    expect(await page.getByRole("link", { name: "Sign in" }).count()).toBe(0);
    // Only the visited place is stored, and nothing of a session.
    expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({
      "platform:settings": '{"v":1,"placesOwner":"everybody","recent":["home","orders"]}',
    });
    expect(errors).toEqual([]);
    await context.close();
    await shellWithoutBackend.close();
  });
});
