import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GoTrue, startGoTrue } from "../support/gotrue/gotrue.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import { account, type ShellSite, startShellSite } from "../support/shell/shell-site.ts";

let project: GoTrue;
let site: ShellSite;
let browser: Browser;

beforeAll(async () => {
  if (!hasChromium) return;
  project = await startGoTrue();
  const { url, publishableKey } = project;
  const login = { methods: ["magic_link", "oauth"], oauthProviders: ["github", "google"] };
  site = await startShellSite({ type: "supabase", url, publishableKey, login });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  project?.close();
});

async function requestLink(page: Page, email: string) {
  await page.goto(`${site.url}/orders`);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Send sign-in link" }).click();
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
  return project.mailTo(email);
}

async function signIn(page: Page, email: string) {
  const { code } = await requestLink(page, email);
  await page.getByLabel("Sign-in code").fill(code);
  await account(page).waitFor();
}

describe.skipIf(!hasChromium)("a user of a GoTrue project", () => {
  it("signs in by a link, stores no access token, and sees an error when the link is opened again", async () => {
    const { page, context, errors } = await openPage(browser);
    const { link } = await requestLink(page, "lena@example.com");
    await page.goto(link);
    await page.waitForURL(`${site.url}/orders`);
    await account(page).waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain("eyJ");
    await page.reload();
    await account(page).waitFor();
    expect(project.calls.filter((line) => line === "POST /token")).toHaveLength(1);
    await page.goto(link);
    await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("signs in with a typed code, stores preferences in the metadata, and signs out", async () => {
    const { page, context } = await openPage(browser);
    const { code } = await requestLink(page, "omar@example.com");
    await page.getByLabel("Sign-in code").fill(code === "000000" ? "000001" : "000000");
    await page.getByText("This code is not valid. 4 tries are left.").waitFor();
    await page.getByLabel("Sign-in code").fill(code);
    await page.getByRole("button", { name: "Sign in" }).click();
    await account(page).waitFor();
    await page.goto(`${site.url}/__settings/appearance`);
    await page.getByText("Dark", { exact: true }).click();
    await expect
      .poll(() => project.person("omar@example.com")?.metadata)
      .toMatchObject({ email: "omar@example.com", platformPreferences: { colorScheme: "dark" } });
    await account(page).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expect.poll(() => project.calls.at(-1)).toBe("POST /logout");
    expect(await page.evaluate(() => localStorage.getItem("platform:session"))).toBeNull();
    await context.close();
  });

  it("sees an error when the project asks to retry later", async () => {
    const { page, context } = await openPage(browser);
    await requestLink(page, "often@example.com");
    await page.getByRole("button", { name: "Use another address" }).click();
    await page.getByLabel("Email address").fill("often@example.com");
    await page.getByRole("button", { name: "Send sign-in link" }).click();
    await page.getByText("Too many attempts").waitFor();
    await context.close();
  });

  it("sees the sign-in after the project ended the session", async () => {
    const { page, context } = await openPage(browser);
    await signIn(page, "ended@example.com");
    project.endSessions("ended@example.com");
    await page.reload();
    await page.waitForURL(`${site.url}/login?next=%2Forders`);
    await page.getByLabel("Email address").waitFor();
    await context.close();
  });

  it("signs in with an enabled provider and a PKCE verifier, and sees an error after declining at the provider", async () => {
    const { page, context, errors } = await openPage(browser);
    await page.goto(`${site.url}/orders`);
    const github = page.getByRole("button", { name: "Continue with GitHub" });
    await github.waitFor();
    expect(await page.getByRole("button", { name: "Continue with Google" }).count()).toBe(0);
    await github.click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "The sign-in was cancelled" }).waitFor();
    await page.getByRole("link", { name: "Sign in again" }).click();
    await github.click();
    await page.getByRole("link", { name: "Authorize" }).click();
    await page.waitForURL(`${site.url}/orders`);
    await account(page).getByText("Git Person").waitFor();
    expect(page.url()).not.toContain("code=");
    expect(errors).toEqual([]);
    await context.close();
  });
});
