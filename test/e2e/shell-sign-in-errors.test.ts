import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { findingsOf } from "../support/shell/axe.ts";
import { type BackendResponses, fakeBackendUrl, sessionAt } from "../support/shell/fake-identity.ts";
import { SharedPage } from "../support/shell/shared-page.ts";
import { type ShellSite, startShellSite } from "../support/shell/shell-site.ts";

const navigation = [
  { label: "Home", path: "home", url: "/__welcome" },
  { label: "Desk", path: "desk", url: "/__welcome", requiresStaff: true },
  { label: "Books", path: "books", url: "/__welcome", requiresOwner: true },
];
const backend = { type: "platform", url: fakeBackendUrl, companyId: 1, login: { methods: ["magic_link"] } };

let browser: Browser;
let site: ShellSite;
let sharedPage: SharedPage;
beforeAll(async () => {
  if (!hasChromium) return;
  site = await startShellSite(backend, { navigation });
  browser = await launchChromium();
  sharedPage = new SharedPage(browser);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

type Open = { path: string; isSignedIn?: boolean; responses?: BackendResponses };

async function open(context: TestContext, { path, isSignedIn = true, responses }: Open) {
  const storedEntries: Record<string, string> = isSignedIn ? { "platform:session": sessionAt(fakeBackendUrl) } : {};
  const page = await sharedPage.open(site.url + path, storedEntries, responses);
  context.onTestFinished(({ task }) => {
    if (task.result?.state === "pass") sharedPage.return(page, false);
  });
  const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  return { page, heading, press: (name: string) => page.getByRole("button", { name }).click() };
}

const actionsOf = (page: Page) =>
  page.locator(".blank :is(a, button)").evaluateAll((elements) => elements.map((element) => element.textContent));
const pathOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;
const isSignedIn = (page: Page) => page.evaluate(() => localStorage.getItem("platform:session") !== null);

describe.skipIf(!hasChromium)("an error in the address of a signed-in user", () => {
  it.for(["/login", "/login/callback"])("is shown at %s, and another account can be used", async (path, context) => {
    const address = `${path}?platform_oauth_error_code=access_denied&platform_oauth_error=x`;
    const { page, heading, press } = await open(context, { path: address });
    await heading("You do not have access");
    expect(await actionsOf(page)).toEqual(["Use another account", "Sign out"]);
    expect(await findingsOf(page)).toEqual([]);
    await press("Use another account");
    await heading("Sign in to Aster");
    expect([pathOf(page), await isSignedIn(page)]).toEqual(["/login", false]);
  });

  it("returns to the requested address with another account", async (context) => {
    const path = "/login?next=%2Fdesk&platform_oauth_error_code=access_denied";
    const { page, heading, press } = await open(context, { path });
    await heading("You do not have access");
    await press("Use another account");
    await heading("Sign in to Aster");
    expect(pathOf(page)).toBe("/login?next=%2Fdesk");
  });

  it("signs the user out on request", async (context) => {
    const { page, press } = await open(context, { path: "/login?platform_oauth_error_code=access_denied" });
    await press("Sign out");
    await expect.poll(() => pathOf(page)).toBe("/home");
    expect(await isSignedIn(page)).toBe(false);
  });

  it.for(["/login", "/login/callback"])(
    "lets the user check again whether access is granted at %s",
    async (path, context) => {
      const { page, heading, press } = await open(context, {
        path: `${path}?platform_oauth_error_code=access_pending`,
      });
      await heading("Your request is waiting");
      expect(await actionsOf(page)).toEqual(["Check again", "Use another account", "Sign out"]);
      await press("Check again");
      await expect.poll(() => pathOf(page)).toBe("/home");
      expect(await isSignedIn(page)).toBe(true);
    },
  );

  it.for(["/login", "/login/callback"])("shows a link to continue for other errors at %s", async (path, context) => {
    const { page, heading } = await open(context, { path: `${path}?platform_oauth_error_code=oauth_email_missing` });
    await page.locator(".blank").waitFor();
    expect(await actionsOf(page)).toEqual(["Use another account", "Go to home"]);
    await page.getByRole("link", { name: "Go to home" }).click();
    await heading("Welcome");
    expect(await isSignedIn(page)).toBe(true);
  });
});

describe.skipIf(!hasChromium)("a user who waits for access", () => {
  it.for(["/login", "/login/callback"])(
    "may check again or use another account when signed out: %s",
    async (path, context) => {
      const address = `${path}?platform_oauth_error_code=access_pending`;
      const { page, heading, press } = await open(context, { path: address, isSignedIn: false });
      await heading("Your request is waiting");
      expect(await actionsOf(page)).toEqual(["Check again", "Use another account"]);
      await press("Check again");
      await heading("Sign in to Aster");
    },
  );

  it("repeats the sign-in with the provider that started it", async (context) => {
    const flow = { verifier: "v".repeat(43), redirectTo: "", next: "/desk", provider: "google", at: Date.now() };
    const { page, heading, press } = await open(context, { path: "/home", isSignedIn: false });
    await page.evaluate((text) => sessionStorage.setItem("platform:flow:s", text), JSON.stringify(flow));
    await page.goto(`${site.url}/login/callback?state=s&platform_oauth_error_code=access_pending`);
    await heading("Your request is waiting");
    const authorizeRequest = page.waitForRequest(`${fakeBackendUrl}/api/v1/authorize?**`);
    await press("Check again");
    expect(new URL((await authorizeRequest).url()).searchParams.get("provider")).toBe("google");
  });

  it("can sign out when they have a session", async (context) => {
    const responses = { "/api/v1/token": { status: 403, body: { error_code: "access_pending" } } };
    const { page, heading, press } = await open(context, { path: "/login", responses });
    await heading("Your request is waiting");
    expect(await actionsOf(page)).toEqual(["Check again", "Use another account", "Sign out"]);
    await press("Sign out");
    await expect.poll(() => pathOf(page)).toBe("/home");
    expect(await isSignedIn(page)).toBe(false);
  });
});

describe.skipIf(!hasChromium)("a page for staff or owners", () => {
  it.for(["desk", "books"])("offers the sign-in to signed-out users: %s", async (path, context) => {
    const { page, heading } = await open(context, { path: `/${path}?view=open`, isSignedIn: false });
    await heading("You do not have access to this page");
    expect(await actionsOf(page)).toEqual(["Sign in", "Go to home"]);
    await page.locator(".blank").getByRole("link", { name: "Sign in" }).click();
    await heading("Sign in to Aster");
    expect(pathOf(page)).toBe(`/login?next=${encodeURIComponent(`/${path}?view=open`)}`);
  });

  it("offers the sign-in to no signed-in user", async (context) => {
    const { page, heading } = await open(context, { path: "/desk" });
    await heading("You do not have access to this page");
    expect(await actionsOf(page)).toEqual(["Go to home"]);
  });
});
