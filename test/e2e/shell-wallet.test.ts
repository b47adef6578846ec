import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GoTrue, startGoTrue } from "../support/gotrue/gotrue.ts";
import { createWallet, type Injection, injectWallet, type Wallet } from "../support/gotrue/wallet.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import { account, type ShellSite, startShellSite } from "../support/shell/shell-site.ts";

let project: GoTrue;
let site: ShellSite;
let browser: Browser;

beforeAll(async () => {
  if (!hasChromium) return;
  project = await startGoTrue();
  const { url, publishableKey } = project;
  site = await startShellSite({ type: "supabase", url, publishableKey, login: { methods: ["magic_link", "web3"] } });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  project?.close();
});

const button = (page: Page) => page.getByRole("button", { name: "Continue with Ethereum wallet" });
const walletOf = (options: object = {}) => createWallet({ host: new URL(site.url).host, ...options });
const shortOf = ({ address }: Wallet) => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Opens the sign-in in a browser with a wallet. */
async function openWith(wallet: Wallet | null, injection: Injection = "window") {
  const opened = await openPage(browser);
  if (wallet !== null) await injectWallet(opened.page, wallet, injection);
  await opened.page.goto(`${site.url}/orders`);
  await button(opened.page).waitFor();
  return opened;
}

describe.skipIf(!hasChromium)("a user who signs in with a wallet", () => {
  it.each(["window", "announcement"] as const)(
    "signs in with a wallet found by the %s and returns as the same user",
    async (injection) => {
      const wallet = walletOf();
      const { page, context, errors } = await openWith(wallet, injection);
      await button(page).click();
      await page.waitForURL(`${site.url}/orders`);
      await account(page).getByText(shortOf(wallet)).waitFor();
      expect(wallet.signed).toHaveLength(1);
      await page.goto(`${site.url}/__settings/account`);
      await page.getByText("Ethereum wallet", { exact: true }).waitFor();
      const idOf = () =>
        page.evaluate(() => (JSON.parse(localStorage.getItem("platform:session") ?? "{}") as { user?: object }).user);
      const first = await idOf();
      await account(page).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.goto(`${site.url}/orders`);
      await button(page).click();
      await account(page).waitFor();
      expect(await idOf()).toEqual(first);
      expect(new Set(wallet.signed).size).toBe(2);
      expect(errors).toEqual([]);
      await context.close();
    },
  );

  it("sees an error when they decline or have no wallet, and can continue", async () => {
    const declined = await openWith(walletOf({ refuses: true }));
    await button(declined.page).click();
    await declined.page.getByText("The wallet did not sign").waitFor();
    await declined.page.getByLabel("Email address").waitFor();
    await declined.context.close();
    const withoutWallet = await openWith(null);
    await button(withoutWallet.page).click();
    await withoutWallet.page.getByText("No wallet was found").waitFor();
    await withoutWallet.context.close();
  });

  it("is not offered the wallet again after the project rejected it", async () => {
    const { page, context } = await openWith(walletOf());
    project.settings.web3 = false;
    await button(page).click();
    await page.getByText("This way to sign in is off").waitFor();
    await button(page).waitFor({ state: "hidden" });
    await page.getByLabel("Email address").waitFor();
    project.settings.web3 = true;
    await context.close();
  });
});
