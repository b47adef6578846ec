import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { readShellFiles } from "../../../cli/page/shell-files.ts";
import { buildShell } from "../../../scripts/build-shell.ts";
import { builtShell, isShellCurrent } from "../../../scripts/support/shell/current.ts";
import { makeProject } from "../cli/project.ts";
import { startServer } from "../cli/server.ts";
import { readSignInMail } from "../mail/maildev";
import { openPage } from "../platform/chromium";
import type { Platform } from "../platform/platform";

export type ShellSite = { url: string; close: () => Promise<void> };

/**
 * Serves a shell with this `backend` from a copy of the build, because another test may replace the build in `dist`.
 */
export async function startShellSite(backend: object | undefined, extraConfig: object = {}): Promise<ShellSite> {
  if (!isShellCurrent()) await buildShell();
  const cleanups: (() => unknown)[] = [];
  const context = { onTestFinished: (cleanup: () => unknown) => void cleanups.push(cleanup) };
  const built = join(makeProject(context, {}), "shell");
  cpSync(builtShell, built, { recursive: true });
  const navigation = [
    { label: "Home", path: "home", url: "/__welcome" },
    { label: "Orders", path: "orders", url: "/__welcome", requiresAuth: true },
  ];
  const config = { title: "Aster", navigation, ...(backend && { backend }), ...extraConfig };
  const root = makeProject(context, { "platform.config.json": JSON.stringify(config) });
  const { port } = await startServer(context, root, { shell: await readShellFiles({ PLATFORM_SHELL: built }) });
  return {
    url: `http://localhost:${port}`,
    close: async () => {
      for (const cleanup of cleanups.toReversed()) await cleanup();
    },
  };
}

/** Locates the account button of the signed-in user. */
export const account = (page: Page) => page.getByRole("button", { name: /^Account of/ });

/** Opens a shell address without a session, requests a link, and returns the link and the code of the email. */
export async function requestLink(platform: Platform, page: Page, address: string, email: string) {
  await page.goto(address);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Send sign-in link" }).click();
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
  return readSignInMail(await platform.inbox.waitForMail(email));
}

/** Signs a user in with the emailed code. */
export async function signIn(platform: Platform, page: Page, address: string, email: string): Promise<void> {
  const { code } = await requestLink(platform, page, address, email);
  await page.getByLabel("Sign-in code").fill(code);
  await account(page).waitFor();
}

/** Opens a page in a new browser context and signs a user in. */
export async function openSignedIn(browser: Browser, platform: Platform, address: string, email: string) {
  const opened = await openPage(browser);
  await signIn(platform, opened.page, address, email);
  return opened;
}

/**
 * Runs `act` and returns the access token that the shell then receives from identity. `path` is the endpoint: `oauth/session`
 * exchanges a code, `token` a refresh token.
 */
export async function tokenBy(
  page: Page,
  path: "oauth/session" | "token",
  act: () => Promise<unknown>,
): Promise<string> {
  const url = ({ pathname }: URL) => pathname.endsWith(`/api/v1/${path}`);
  let receive: (tokens: { access_token: string }) => void = () => undefined;
  const received = new Promise<{ access_token: string }>((resolve) => {
    receive = resolve;
  });
  // The body is read in the route handler, because the browser discards response bodies when the page navigates.
  await page.route(url, async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    const response = await route.fetch();
    receive((await response.json()) as { access_token: string });
    await route.fulfill({ response });
  });
  await act();
  const { access_token } = await received;
  await page.unroute(url);
  return access_token;
}
