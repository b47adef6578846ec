import { generateKeyPairSync } from "node:crypto";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium, openPage } from "../support/chromium";
import { type Platform, startPlatform } from "../support/harness";
import { readSignInMail } from "../support/maildev";
import { type OpenIdServer, startOpenIdServer } from "../support/openid-server";

let platform: Platform;
let provider: OpenIdServer;
let browser: Browser;
let owner = "";

const api = (path: string) => `${platform.url}/identity/api/v1/${path}`;

async function post(path: string, body: object, bearer = ""): Promise<Response> {
  const headers = { "content-type": "application/json", ...(bearer ? { authorization: `Bearer ${bearer}` } : {}) };
  return fetch(api(path), { method: "POST", headers, body: JSON.stringify(body) });
}

/** The owner's access token, by a link. */
async function signInOwner(): Promise<string> {
  const email = "owner@example.com";
  await post("magic-link/request", { company_id: 1, email, redirect_to: `${platform.url}/` });
  const { link } = readSignInMail(await platform.inbox.waitForMail(email));
  const token = new URL(link).searchParams.get("token");
  const answer = await (await post("magic-link/verify", { company_id: 1, token })).json();
  return (answer as { access_token: string }).access_token;
}

beforeAll(async () => {
  if (!hasChromium) return;
  platform = await startPlatform();
  provider = await startOpenIdServer(api("oauth/callback"));
  owner = await signInOwner();
  const body = { provider: "oidc", slug: "acme", label: "Acme", issuer: provider.issuer, ...provider.client };
  const created = await post("oauth-clients", body, owner);
  if (created.status !== 201) throw new Error(`client: ${created.status} ${await created.text()}`);
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const apple = { provider: "apple", client_id: "com.example.web", team_id: "TEAM123456", key_id: "KEY1234567" };
  const added = await post("oauth-clients", { ...apple, private_key: privateKey }, owner);
  if (added.status !== 201) throw new Error(`apple: ${added.status} ${await added.text()}`);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await provider?.stop();
  await platform?.close();
});

/** The sign-in page of the application, then the page of identity with its choice. */
async function openChoice(page: Page, link = "More ways to sign in"): Promise<void> {
  await page.goto(`${platform.url}/`);
  await page.locator("body[data-ready]").waitFor();
  await page.getByRole("link", { name: link }).click();
  await page.getByRole("heading", { level: 1, name: "Demo" }).waitFor();
}

/** What a person does at the provider. */
async function logIn(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(name);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

async function expectSignedIn(page: Page, address: string): Promise<Record<string, unknown>> {
  await page.locator("#signed-in").waitFor();
  expect(await page.locator("#who").textContent()).toBe(address);
  return JSON.parse((await page.locator("#claims").textContent()) ?? "{}");
}

const stateCookies = async (context: BrowserContext) =>
  (await context.cookies(api(""))).filter((cookie) => cookie.name === "platform_oauth_state_nonce");

describe.skipIf(!hasChromium)("a person with an account at an OpenID provider", () => {
  it("signs in by it, and again without typing anything, as the same user", async () => {
    const { page, context, errors } = await openPage(browser);
    await openChoice(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    expect(new URL(page.url()).origin).toBe(provider.issuer);
    expect(await stateCookies(context)).toMatchObject([{ httpOnly: true, sameSite: "Lax", path: "/" }]);
    await logIn(page, "grace@acme.example");
    const claims = await expectSignedIn(page, "grace@acme.example");
    expect(page.url()).toBe(`${platform.url}/`);
    expect(claims).toMatchObject({
      app_metadata: { provider: "oidc-acme" },
      user_metadata: { name: "Grace Hopper" },
      company_id: 1,
    });

    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("New tokens received.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Signed out.").waitFor();
    await openChoice(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    const again = await expectSignedIn(page, "grace@acme.example");
    expect([again.sub, again.sid === claims.sid]).toEqual([claims.sub, false]);

    // Going back does not use the answer of the provider a second time.
    await page.goBack();
    await page.goForward();
    await expectSignedIn(page, "grace@acme.example");
    expect(errors).toEqual([]);
    const logins = await platform.rows<{ user_id: number }>(
      "identity",
      "SELECT user_id FROM event_log WHERE event_type = 'identity.auth.login.succeeded' AND provider = 'oidc-acme'",
    );
    expect(logins.map((row) => String(row.user_id))).toEqual([claims.sub, claims.sub]);
    await context.close();
  });

  it("is sent back with a reason when they say no, have another's address, or the provider is away", async () => {
    const { page, context } = await openPage(browser);
    const expectAlert = async (code: string) => {
      await page.locator("#alert:not(:empty)").waitFor();
      expect(await page.locator("#alert").textContent()).toContain(`(${code})`);
      expect(page.url()).toBe(`${platform.url}/`);
    };
    await openChoice(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await expectAlert("oauth_provider_denied");

    await openChoice(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    await logIn(page, "staff@example.com");
    await expectAlert("oauth_email_unverified");

    await openChoice(page);
    await provider.stop();
    try {
      await page.getByRole("link", { name: "Continue with Acme" }).click();
      await expectAlert("oauth_client_unavailable");
    } finally {
      await provider.start();
    }
    await context.close();
  });

  it("comes back from Apple by a form post without the cookie, and still as the browser that began", async () => {
    const { page, context } = await openPage(browser);
    // Apple's page as the browser sees it: another site that posts the values by itself.
    await page.route("https://appleid.apple.com/**", (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const values = { state: asked.get("state") ?? "", code: "not-a-code" };
      const inputs = Object.entries(values).map(([name, value]) => `<input name="${name}" value="${value}">`);
      const form = `<form method="post" action="${asked.get("redirect_uri")}">${inputs.join("")}</form>`;
      const body = `<body>${form}<script>document.forms[0].submit()</script></body>`;
      return route.fulfill({ contentType: "text/html", body });
    });
    const seen: string[] = [];
    page.on("request", async (request) => {
      if (!request.url().startsWith(api("oauth/callback"))) return;
      const { cookie = "" } = await request.allHeaders();
      seen.push(`${request.method()} ${cookie.includes("platform_oauth_state_nonce") ? "with" : "without"} cookie`);
    });
    await openChoice(page);
    await page.getByRole("link", { name: "Continue with Apple" }).click();
    // The state was accepted: what fails is the exchange of a code that Apple never gave.
    await page.locator("#alert:not(:empty)").waitFor();
    expect(await page.locator("#alert").textContent()).toContain("(token_exchange_failed)");
    expect(seen).toEqual(["POST without cookie", "GET with cookie"]);
    await context.close();
  });

  it("reads in French what went wrong with a copied callback, and cannot use it", async () => {
    const { page, context } = await openPage(browser, { locale: "fr-FR" });
    const callbacks: string[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(api("oauth/callback"))) callbacks.push(request.url());
    });
    await openChoice(page, "Autres façons de se connecter");
    await page.getByRole("link", { name: "Continuer avec Acme" }).click();
    await logIn(page, "copied@acme.example");
    await expectSignedIn(page, "copied@acme.example");
    expect(callbacks).toHaveLength(1);
    const copied = await page.goto(callbacks[0] ?? "");
    expect([copied?.status(), await page.locator("body").getAttribute("data-error-code")]).toEqual([
      400,
      "invalid_oauth_state",
    ]);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("Cette connexion a expiré");
    await context.close();
  });
});

describe.skipIf(!hasChromium)("a person without one", () => {
  it("asks for a link on the same page, without scripts", async () => {
    const { page, context, errors } = await openPage(browser, { javaScriptEnabled: false });
    const query = new URLSearchParams({ company_id: "1", redirect_to: `${platform.url}/` });
    for (const path of ["authorize", "authorize/"]) {
      await page.goto(`${api(path)}?${query}`);
      const address = `form-${path.length}@example.com`;
      await page.getByLabel("Email address").fill(address);
      await page.getByRole("button", { name: "Send me a sign-in link" }).click();
      await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
      const { link } = readSignInMail(await platform.inbox.waitForMail(address));
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL((url) => url.searchParams.has("platform_auth_code"));
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});
