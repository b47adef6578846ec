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

/** A shell with this `backend`, served from a copy of the build: one that another test makes takes the place of the one in `dist`. */
export async function startShellSite(backend: object | undefined, more: object = {}): Promise<ShellSite> {
  if (!isShellCurrent()) await buildShell();
  const ends: (() => unknown)[] = [];
  const context = { onTestFinished: (end: () => unknown) => void ends.push(end) };
  const built = join(makeProject(context, {}), "shell");
  cpSync(builtShell, built, { recursive: true });
  const navigation = [
    { label: "Home", path: "home", url: "/__welcome" },
    { label: "Orders", path: "orders", url: "/__welcome", requiresAuth: true },
  ];
  const config = { title: "Aster", navigation, ...(backend && { backend }), ...more };
  const root = makeProject(context, { "platform.config.json": JSON.stringify(config) });
  const { port } = await startServer(context, root, { shell: await readShellFiles({ PLATFORM_SHELL: built }) });
  return {
    url: `http://localhost:${port}`,
    close: async () => {
      for (const end of ends.toReversed()) await end();
    },
  };
}

/** The person in front, in the navigation. */
export const account = (page: Page) => page.getByRole("button", { name: /^Account of/ });

/** Opens an address of the shell as somebody who is not signed in, asks for a link, and reads the mail. */
export async function askForLink(platform: Platform, page: Page, address: string, email: string) {
  await page.goto(address);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Send sign-in link" }).click();
  await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
  return readSignInMail(await platform.inbox.waitForMail(email));
}

/** Signs somebody in by the code of the mail. */
export async function signIn(platform: Platform, page: Page, address: string, email: string): Promise<void> {
  const { code } = await askForLink(platform, page, address, email);
  await page.getByLabel("Sign-in code").fill(code);
  await account(page).waitFor();
}

/** A browser in which somebody is signed in. */
export async function openSignedIn(browser: Browser, platform: Platform, address: string, email: string) {
  const opened = await openPage(browser);
  await signIn(platform, opened.page, address, email);
  return opened;
}

/** The access token that the shell gets of identity when `act` makes it ask, in exchange for a code or another token. */
export async function tokenBy(
  page: Page,
  path: "oauth/session" | "token",
  act: () => Promise<unknown>,
): Promise<string> {
  const url = (asked: URL) => asked.pathname.endsWith(`/api/v1/${path}`);
  let take: (answer: { access_token: string }) => void = () => undefined;
  const answered = new Promise<{ access_token: string }>((done) => {
    take = done;
  });
  // Read on its way: of a page that has gone on, the browser has no answers any more.
  await page.route(url, async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    const response = await route.fetch();
    take((await response.json()) as { access_token: string });
    await route.fulfill({ response });
  });
  await act();
  const { access_token } = await answered;
  await page.unroute(url);
  return access_token;
}
