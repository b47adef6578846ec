import { and, eq } from "drizzle-orm";
import { decodeJwt, type JWTPayload } from "jose";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { event_log, identities } from "../../db/identity/schema";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import type { Platform } from "../support/platform/platform";
import { addOAuthClient, signInAt } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";
import { account, type ShellSite, startShellSite, tokenBy } from "../support/shell/shell-site.ts";
import { type OpenIdServer, startOpenIdServer } from "../support/sign-in-sites/openid-server";
import {
  microsoftTenant,
  type SiteName,
  siteClients,
  startProviderSites,
} from "../support/sign-in-sites/provider-sites";
import type { Account } from "../support/sign-in-sites/sign-in-providers";

const ada = { given_name: "Ada", family_name: "Lovelace", name: "Ada Lovelace" };
const owners = { email: "owner@example.com", email_verified: false };
/** The accounts at each provider, by provider name. */
const providerAccounts = {
  google: {
    ada: { sub: "110169484474386276334", claims: { ...ada, email: "ada@gmail.example", email_verified: true } },
    unproven: { sub: "110169484474386276335", claims: { ...ada, ...owners } },
  },
  github: {
    ada: {
      sub: "583231",
      user: {
        login: "ada",
        name: "Ada Lovelace",
        email: "public@github.example",
        emails: [
          { email: "other@github.example", primary: false, verified: true, visibility: null },
          { email: "ada@github.example", primary: true, verified: true, visibility: "private" },
        ],
      },
    },
    unproven: {
      sub: "583232",
      user: {
        login: "unproven",
        name: null,
        email: "other@github.example",
        emails: [
          { email: "other@github.example", primary: false, verified: true, visibility: "public" },
          { email: "owner@example.com", primary: true, verified: false, visibility: null },
        ],
      },
    },
  },
  microsoft: {
    ada: {
      sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
      claims: { name: "Ada Lovelace", email: "ada@contoso.example", tid: microsoftTenant, xms_edov: true },
    },
    unproven: { sub: "AAAAAunproven", claims: { ...ada, ...owners, email_verified: true, tid: microsoftTenant } },
    foreign: {
      sub: "AAAAAforeign",
      claims: { email: "foreign@contoso.example", tid: "11111111-8888-7777-6666-555555555555", xms_edov: true },
    },
  },
  apple: {
    ada: {
      sub: "001999.0d4ce6ad1f2f4a9d8b4e6f8a4b0d3e43.1204",
      claims: { email: "dpdcnf87nu@privaterelay.appleid.com", email_verified: true, is_private_email: true },
      user: { name: { firstName: "Ada", lastName: "Lovelace" } },
    },
    unproven: { sub: "001999.unproven", claims: owners },
  },
} satisfies Record<SiteName, Record<string, Account>>;
const siteNames = Object.keys(providerAccounts) as SiteName[];

let platform: Platform;
let provider: OpenIdServer;
let internet: Awaited<ReturnType<typeof startProviderSites>>;
let browser: Browser;
let shell: ShellSite;
const removeClients: (() => Promise<void>)[] = [];

const api = (path: string) => `${platform.url}/identity/api/v1/${path}`;

beforeAll(async () => {
  if (!hasChromium) return;
  platform = await sharePlatform();
  provider = await startOpenIdServer(api("oauth/callback"));
  const owner = await signInAt(platform, "owner@example.com");
  const acme = { provider: "oidc", slug: "acme", label: "Acme", issuer: provider.issuer, ...provider.client };
  const clients = [acme, ...siteNames.map((name) => ({ provider: name, ...siteClients[name] }))];
  for (const client of clients) removeClients.push(await addOAuthClient(platform, owner, client));
  shell = await startShellSite({
    type: "platform",
    url: `${platform.url}/identity`,
    companyId: 1,
    login: { methods: ["oauth", "magic_link"] },
  });
  internet = await startProviderSites(api("oauth/callback"), providerAccounts);
  browser = await launchChromium(internet.sites);
});
afterAll(async () => {
  await browser?.close();
  await shell?.close();
  await internet?.stop();
  await provider?.stop();
  for (const remove of removeClients) await remove();
  await platform?.close();
});

/**
 * Returns the URL of identity's sign-in page or, with `provider`, the URL that redirects to that provider. The sign-in
 * ends at the shell, although the shell did not start it and therefore has no state for it.
 */
const authorizeUrl = (params: { provider?: string } = {}) => {
  const redirect_to = `${shell.url}/login/callback`;
  return `${api("authorize")}?${new URLSearchParams({ company_id: "1", redirect_to, ...params })}`;
};

/** Opens identity's sign-in page. */
async function openAuthorizePage(page: Page): Promise<void> {
  await page.goto(authorizeUrl());
  await page.getByRole("heading", { level: 1, name: "Aster Trading" }).waitFor();
}

/** Logs in and consents at the OpenID provider. */
async function logIn(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(name);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** Returns the claims of the access token that the shell receives while `act` signs a user in. */
async function signInBy(page: Page, act: () => Promise<unknown>): Promise<JWTPayload> {
  const claims = decodeJwt(await tokenBy(page, "oauth/session", act));
  await account(page).waitFor();
  return claims;
}

async function signOut(page: Page): Promise<void> {
  await account(page).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("link", { name: "Sign in", exact: true }).first().waitFor();
}

/** Waits until the shell shows an error code. */
async function expectShellError(page: Page, code: string): Promise<void> {
  await page.getByText(`Code ${code}`, { exact: true }).waitFor();
  expect(new URL(page.url()).origin).toBe(shell.url);
}

const stateCookies = async (context: BrowserContext) =>
  (await context.cookies(api(""))).filter((cookie) => cookie.name === "platform_oauth_state_nonce");

describe.skipIf(!hasChromium)("a user with an account at an OpenID provider", () => {
  it("signs in with that account, and later as the same user without typing", async () => {
    const { page, context, errors } = await openPage(browser);
    await openAuthorizePage(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    expect(new URL(page.url()).origin).toBe(provider.issuer);
    expect(await stateCookies(context)).toMatchObject([{ httpOnly: true, sameSite: "Lax", path: "/" }]);
    const claims = await signInBy(page, () => logIn(page, "grace@acme.example"));
    await page.waitForURL(`${shell.url}/home`);
    expect(claims).toMatchObject({
      email: "grace@acme.example",
      app_metadata: { provider: "oidc-acme" },
      user_metadata: { name: "Grace Hopper" },
      company_id: 1,
    });

    const renewed = decodeJwt(await tokenBy(page, "token", () => page.reload()));
    expect([renewed.sid, renewed.app_metadata]).toEqual([claims.sid, claims.app_metadata]);
    await signOut(page);
    await openAuthorizePage(page);
    const secondClaims = await signInBy(page, () => page.getByRole("link", { name: "Continue with Acme" }).click());
    expect([secondClaims.sub, secondClaims.sid === claims.sid]).toEqual([claims.sub, false]);

    // Going back does not send the provider's callback a second time.
    await page.goBack();
    await page.goForward();
    await account(page).waitFor();
    expect(errors).toEqual([]);
    const isLogin = eq(event_log.event_type, "identity.auth.login.succeeded");
    const logins = await platform.rows.identity.readRows(event_log, and(isLogin, eq(event_log.provider, "oidc-acme")));
    expect(logins.map((row) => String(row.user_id))).toEqual([claims.sub, claims.sub]);
    await context.close();
  });

  it("returns to the shell with an error code after cancelling, with another user's address, or while the provider is down", async () => {
    const { page, context } = await openPage(browser);
    await openAuthorizePage(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await expectShellError(page, "oauth_provider_denied");

    await openAuthorizePage(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    await logIn(page, "staff@example.com");
    await expectShellError(page, "oauth_email_unverified");

    await openAuthorizePage(page);
    await provider.stop();
    try {
      await page.getByRole("link", { name: "Continue with Acme" }).click();
      await expectShellError(page, "oauth_client_unavailable");
    } finally {
      await provider.start();
    }
    await context.close();
  });

  it("cannot use a copied callback, and sees the error in French", async () => {
    const { page, context } = await openPage(browser, { locale: "fr-FR" });
    const callbacks: string[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(api("oauth/callback"))) callbacks.push(request.url());
    });
    await openAuthorizePage(page);
    await page.getByRole("link", { name: "Continuer avec Acme" }).click();
    await logIn(page, "copied@acme.example");
    await page.getByText("Connexion établie\u00a0: copied@acme.example").waitFor();
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

/** Logs in and consents at the site of a provider. */
async function consentAt(site: SiteName, page: Page, { sub, user }: Account): Promise<void> {
  if (site !== "github") return logIn(page, sub);
  await page.getByLabel("Username").fill(String(user?.login));
  await page.getByRole("button", { name: "Authorize Demo" }).click();
}

describe.skipIf(!hasChromium).each([
  { name: "google", label: "Google", host: "accounts.google.com", email: "ada@gmail.example" },
  { name: "github", label: "GitHub", host: "github.com", email: "ada@github.example" },
  { name: "microsoft", label: "Microsoft", host: "login.microsoftonline.com", email: "ada@contoso.example" },
  { name: "apple", label: "Apple", host: "appleid.apple.com", email: "dpdcnf87nu@privaterelay.appleid.com" },
] as const)("a user with an account at $label", ({ name, label, host, email }) => {
  /**
   * Records for each request to the callback its method, whether it sends the state cookie, and whether Apple added a
   * name.
   */
  const watchCallback = (page: Page): Promise<string>[] => {
    const requests: Promise<string>[] = [];
    const describeRequest = async (request: Request) => {
      const { cookie = "" } = await request.allHeaders();
      const parts = [cookie.includes("platform_oauth_state_nonce") ? "with cookie" : "without cookie"];
      if (request.postData()?.includes("user=")) parts.push("with name");
      return [request.method(), ...parts].join(" ");
    };
    page.on("request", (request) => {
      if (request.url().startsWith(api("oauth/callback"))) requests.push(describeRequest(request));
    });
    return requests;
  };

  it("consents at the provider's site, and later signs in as the same user without typing", async () => {
    const { page, context, errors } = await openPage(browser);
    const calls = watchCallback(page);
    await openAuthorizePage(page);
    await page.getByRole("link", { name: `Continue with ${label}` }).click();
    expect([new URL(page.url()).protocol, new URL(page.url()).host]).toEqual(["https:", host]);
    expect(await page.evaluate("isSecureContext")).toBe(true);
    const claims = await signInBy(page, () => consentAt(name, page, providerAccounts[name].ada));
    await page.waitForURL(`${shell.url}/home`);
    expect(claims).toMatchObject({
      sub: expect.stringMatching(/^[0-9]+$/),
      email,
      company_id: 1,
      app_metadata: { provider: name },
      user_metadata: { name: "Ada Lovelace" },
    });
    await signOut(page);
    // The sign-in page of the shell has the same button.
    await page.goto(`${shell.url}/orders`);
    const secondClaims = await signInBy(page, () =>
      page.getByRole("button", { name: `Continue with ${label}` }).click(),
    );
    await page.waitForURL(`${shell.url}/orders`);
    expect(secondClaims).toMatchObject({ sub: claims.sub, email, user_metadata: { name: "Ada Lovelace" } });
    expect(secondClaims.sid).not.toBe(claims.sid);
    // A cross-site POST does not send the SameSite=Lax cookie; the GET that follows the redirect sends the cookie.
    expect(await Promise.all(calls)).toEqual(
      name === "apple"
        ? ["POST without cookie with name", "GET with cookie", "POST without cookie", "GET with cookie"]
        : ["GET with cookie", "GET with cookie"],
    );
    expect(errors).toEqual([]);
    const issuer = name === "microsoft" ? `https://${host}/${microsoftTenant}/v2.0` : `https://${host}`;
    const identity = {
      user_id: Number(claims.sub),
      issuer,
      subject: providerAccounts[name].ada.sub,
      email,
      email_proven: true,
    };
    expect(await platform.rows.identity.readRows(identities, eq(identities.provider, name))).toEqual([
      expect.objectContaining(identity),
    ]);
    await context.close();
  });

  it("returns to the shell with an error when they cancel, and gets no account with an unverified address", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(authorizeUrl({ provider: name }));
    await page.getByRole("link", { name: "Cancel" }).click();
    await expectShellError(page, "oauth_provider_denied");
    await page.goto(authorizeUrl({ provider: name }));
    await consentAt(name, page, providerAccounts[name].unproven);
    await expectShellError(page, "oauth_email_unverified");
    await context.close();
    const { sub } = providerAccounts[name].unproven;
    expect(await platform.rows.identity.countRows(identities, eq(identities.subject, sub))).toBe(0);
  });
});

describe.skipIf(!hasChromium)("a user of another Microsoft tenant", () => {
  it("is rejected, because the issuer of the token does not match", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(authorizeUrl({ provider: "microsoft" }));
    await consentAt("microsoft", page, providerAccounts.microsoft.foreign);
    await expectShellError(page, "oauth_id_token_invalid");
    await context.close();
  });
});
