import { and, eq } from "drizzle-orm";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { event_log, identities } from "../../db/identity/schema";
import { readSignInMail } from "../support/mail/maildev";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import { type Platform, startPlatform } from "../support/platform/platform";
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
  for (const name of siteNames) {
    const added = await post("oauth-clients", { provider: name, ...siteClients[name] }, owner);
    if (added.status !== 201) throw new Error(`${name}: ${added.status} ${await added.text()}`);
  }
  internet = await startProviderSites(api("oauth/callback"), people);
  browser = await launchChromium(internet.sites);
});
afterAll(async () => {
  await browser?.close();
  await internet?.stop();
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

/** Back on the sign-in page of the application with a reason. */
async function expectAlert(page: Page, code: string): Promise<void> {
  await page.locator("#alert:not(:empty)").waitFor();
  expect(await page.locator("#alert").textContent()).toContain(`(${code})`);
  expect(page.url()).toBe(`${platform.url}/`);
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
    await expectAlert(page, "oauth_provider_denied");

    await openChoice(page);
    await page.getByRole("link", { name: "Continue with Acme" }).click();
    await logIn(page, "staff@example.com");
    await expectAlert(page, "oauth_email_unverified");

    await openChoice(page);
    await provider.stop();
    try {
      await page.getByRole("link", { name: "Continue with Acme" }).click();
      await expectAlert(page, "oauth_client_unavailable");
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

/** Where the button of the choice leads. */
const linkTo = (site: SiteName) =>
  `${api("authorize")}?${new URLSearchParams({ company_id: "1", redirect_to: `${platform.url}/`, provider: site })}`;

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
  const goToProvider = async (page: Page) => {
    await openChoice(page);
    await page.getByRole("link", { name: `Continue with ${label}` }).click();
  };
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
    await goToProvider(page);
    expect([new URL(page.url()).protocol, new URL(page.url()).host]).toEqual(["https:", host]);
    expect(await page.evaluate("isSecureContext")).toBe(true);
    await consentAt(name, page, people[name].ada);
    const claims = await expectSignedIn(page, email);
    expect(page.url()).toBe(`${platform.url}/`);
    expect(claims).toMatchObject({
      sub: expect.stringMatching(/^[0-9]+$/),
      email,
      company_id: 1,
      app_metadata: { provider: name },
      user_metadata: { name: "Ada Lovelace" },
    });
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Signed out.").waitFor();
    await goToProvider(page);
    const again = await expectSignedIn(page, email);
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
    const account = { user_id: Number(claims.sub), issuer, subject: people[name].ada.sub, email, email_proven: true };
    expect(await platform.rows.identity.readRows(identities, eq(identities.provider, name))).toEqual([
      expect.objectContaining(account),
    ]);
    await context.close();
  });

  it("is sent back when they say no there, and gets no account by an address that is not proven theirs", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(linkTo(name));
    await page.getByRole("link", { name: "Cancel" }).click();
    await expectAlert(page, "oauth_provider_denied");
    await page.goto(linkTo(name));
    await consentAt(name, page, people[name].unproven);
    await expectAlert(page, "oauth_email_unverified");
    await context.close();
    const { sub } = people[name].unproven;
    expect(await platform.rows.identity.countRows(identities, eq(identities.subject, sub))).toBe(0);
  });
});

describe.skipIf(!hasChromium)("a person of a tenant at Microsoft", () => {
  it("is refused when the token names another tenant as its issuer", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(linkTo("microsoft"));
    await consentAt("microsoft", page, people.microsoft.foreign);
    await expectAlert(page, "oauth_id_token_invalid");
    await context.close();
  });
});

describe.skipIf(!hasChromium)("a person without one", () => {
  it("waits for another mail by a countdown, and goes back for another address", async () => {
    const { page, context, errors } = await openPage(browser, { locale: "fr-CA" });
    const query = new URLSearchParams({ company_id: "1", redirect_to: `${platform.url}/` });
    await page.goto(`${api("authorize")}?${query}`);
    await page.getByLabel("Adresse e-mail").fill("attente@example.com");
    await page.getByRole("button", { name: "Envoyer le lien" }).click();
    const again = page.getByRole("button", { name: /Renvoyer dans 0:[0-3][0-9]/ });
    await again.waitFor();
    expect(await again.isDisabled()).toBe(true);
    await page.getByRole("link", { name: "Utiliser une autre adresse" }).click();
    await page.getByLabel("Adresse e-mail").waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("asks for a link on the same page, without scripts", async () => {
    const { page, context, errors } = await openPage(browser, { javaScriptEnabled: false });
    const query = new URLSearchParams({ company_id: "1", redirect_to: `${platform.url}/` });
    for (const path of ["authorize", "authorize/"]) {
      await page.goto(`${api(path)}?${query}`);
      const address = `form-${path.length}@example.com`;
      await page.getByLabel("Email address").fill(address);
      await page.getByRole("button", { name: "Send link" }).click();
      await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
      const { link, code } = readSignInMail(await platform.inbox.waitForMail(address));
      if (path === "authorize") {
        await page.goto(link);
        await page.getByText("You asked for this link in this browser").waitFor();
      } else {
        await page.getByLabel("Sign-in code").fill("2222-2222");
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("alert").filter({ hasText: "This code is not right." }).waitFor();
        await page.getByLabel("Sign-in code").fill(code);
      }
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL((url) => url.searchParams.has("platform_auth_code"));
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});
