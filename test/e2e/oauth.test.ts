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
/** Who has an account where. */
const people = {
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
const siteNames = Object.keys(people) as SiteName[];

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
  internet = await startProviderSites(api("oauth/callback"), people);
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

/** Where the choice of identity leads, with `provider` that of its button; back to the shell, as one that did not begin there. */
const choiceAt = (more: { provider?: string } = {}) => {
  const redirect_to = `${shell.url}/login/callback`;
  return `${api("authorize")}?${new URLSearchParams({ company_id: "1", redirect_to, ...more })}`;
};

/** The page of identity with its choice. */
async function openChoice(page: Page): Promise<void> {
  await page.goto(choiceAt());
  await page.getByRole("heading", { level: 1, name: "Aster Trading" }).waitFor();
}

/** What a person does at the provider. */
async function logIn(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder("Enter any login").fill(name);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

/** What the token says with which `act` signs somebody in at the shell. */
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

/** Back at the shell with a reason. */
async function expectRefusal(page: Page, code: string): Promise<void> {
  await page.getByText(code, { exact: true }).waitFor();
  expect(new URL(page.url()).origin).toBe(shell.url);
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
    await openChoice(page);
    const again = await signInBy(page, () => page.getByRole("link", { name: "Continue with Acme" }).click());
    expect([again.sub, again.sid === claims.sid]).toEqual([claims.sub, false]);

    // Going back does not use the answer of the provider a second time.
    await page.goBack();
    await page.goForward();
    await account(page).waitFor();
    expect(errors).toEqual([]);
    const isLogin = eq(event_log.event_type, "identity.auth.login.succeeded");
    const logins = await platform.rows.identity.readRows(event_log, and(isLogin, eq(event_log.provider, "oidc-acme")));
    expect(logins.map((row) => String(row.user_id))).toEqual([claims.sub, claims.sub]);
    await context.close();
  });

  it("is sent back with a reason when they say no, have another's address, or the provider is away", async () => {
    const { page, context } = await openPage(browser);
    await openChoice(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await expectRefusal(page, "oauth_provider_denied");

    await openChoice(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    await logIn(page, "staff@example.com");
    await expectRefusal(page, "oauth_email_unverified");

    await openChoice(page);
    await provider.stop();
    try {
      await page.getByRole("link", { name: "Continue with Acme" }).click();
      await expectRefusal(page, "oauth_client_unavailable");
    } finally {
      await provider.start();
    }
    await context.close();
  });

  it("reads in French what went wrong with a copied callback, and cannot use it", async () => {
    const { page, context } = await openPage(browser, { locale: "fr-FR" });
    const callbacks: string[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(api("oauth/callback"))) callbacks.push(request.url());
    });
    await openChoice(page);
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

/** What a person does at the site of a provider, which asks in its own way. */
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
] as const)("a person with an account at $label", ({ name, label, host, email }) => {
  /** Requests to the callback as they went out, told by method, our cookie, and the name that Apple adds. */
  const watchCallback = (page: Page): Promise<string>[] => {
    const seen: Promise<string>[] = [];
    const tell = async (request: Request) => {
      const { cookie = "" } = await request.allHeaders();
      const parts = [cookie.includes("platform_oauth_state_nonce") ? "with cookie" : "without cookie"];
      if (request.postData()?.includes("user=")) parts.push("with name");
      return [request.method(), ...parts].join(" ");
    };
    page.on("request", (request) => {
      if (request.url().startsWith(api("oauth/callback"))) seen.push(tell(request));
    });
    return seen;
  };

  it("consents at its site, is signed in, and the next time without typing anything, as the same user", async () => {
    const { page, context, errors } = await openPage(browser);
    const calls = watchCallback(page);
    await openChoice(page);
    await page.getByRole("link", { name: `Continue with ${label}` }).click();
    expect([new URL(page.url()).protocol, new URL(page.url()).host]).toEqual(["https:", host]);
    expect(await page.evaluate("isSecureContext")).toBe(true);
    const claims = await signInBy(page, () => consentAt(name, page, people[name].ada));
    await page.waitForURL(`${shell.url}/home`);
    expect(claims).toMatchObject({
      sub: expect.stringMatching(/^[0-9]+$/),
      email,
      company_id: 1,
      app_metadata: { provider: name },
      user_metadata: { name: "Ada Lovelace" },
    });
    await signOut(page);
    // The shell offers the same.
    await page.goto(`${shell.url}/orders`);
    const again = await signInBy(page, () => page.getByRole("button", { name: `Continue with ${label}` }).click());
    await page.waitForURL(`${shell.url}/orders`);
    expect(again).toMatchObject({ sub: claims.sub, email, user_metadata: { name: "Ada Lovelace" } });
    expect(again.sid).not.toBe(claims.sid);
    // A post from another site brings no cookie of ours; the GET that it leads to does.
    expect(await Promise.all(calls)).toEqual(
      name === "apple"
        ? ["POST without cookie with name", "GET with cookie", "POST without cookie", "GET with cookie"]
        : ["GET with cookie", "GET with cookie"],
    );
    expect(errors).toEqual([]);
    const issuer = name === "microsoft" ? `https://${host}/${microsoftTenant}/v2.0` : `https://${host}`;
    const known = { user_id: Number(claims.sub), issuer, subject: people[name].ada.sub, email, email_proven: true };
    expect(await platform.rows.identity.readRows(identities, eq(identities.provider, name))).toEqual([
      expect.objectContaining(known),
    ]);
    await context.close();
  });

  it("is sent back when they say no there, and gets no account by an address that is not proven theirs", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(choiceAt({ provider: name }));
    await page.getByRole("link", { name: "Cancel" }).click();
    await expectRefusal(page, "oauth_provider_denied");
    await page.goto(choiceAt({ provider: name }));
    await consentAt(name, page, people[name].unproven);
    await expectRefusal(page, "oauth_email_unverified");
    await context.close();
    const { sub } = people[name].unproven;
    expect(await platform.rows.identity.countRows(identities, eq(identities.subject, sub))).toBe(0);
  });
});

describe.skipIf(!hasChromium)("a person of a tenant at Microsoft", () => {
  it("is refused when the token names another tenant as its issuer", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(choiceAt({ provider: "microsoft" }));
    await consentAt("microsoft", page, people.microsoft.foreign);
    await expectRefusal(page, "oauth_id_token_invalid");
    await context.close();
  });
});
