import { statSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { credentialsFile } from "../../cli/account/credentials.ts";
import { runLogout, runWhoami } from "../../cli/commands/account.ts";
import { runLogin } from "../../cli/commands/login.ts";
import { runDeploy } from "../../cli/hosting/deploy.ts";
import { readShellFiles } from "../../cli/page/shell-files.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { findFreePort } from "../../scripts/support/processes/ports.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { startServer } from "../support/cli/server.ts";
import { readSignInMail } from "../support/mail/maildev.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import type { Platform } from "../support/platform/platform.ts";
import { sharePlatform } from "../support/platform/shared-platform.ts";

let platform: Platform;
let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  [platform, browser] = await Promise.all([sharePlatform(), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await platform?.close();
});

describe.skipIf(!hasChromium)("platform login", () => {
  it("signs the command in through the shell and an emailed link, without a token in the shell, and lets it deploy", async (context) => {
    const port = await findFreePort();
    const root = makeProject(context, {
      "platform.config.ts": `export default { port: ${port}, title: "Aster", backend: { type: "platform",
        url: "${platform.url}/identity", companyId: 1, loginUrl: "http://localhost:${port}" },
        hosting: { url: "${platform.url}/hosting", app: "after-login" } };`,
      "site/index.html": "<h1>Deployed after the sign-in</h1>",
    });
    const { err } = await startServer(context, root, { shell: await readShellFiles({}), port: undefined });
    const lines: string[] = [];
    const output = { out: (line: string) => lines.push(line), err: (line: string) => lines.push(line) };
    const env = { PATH: process.env.PATH, XDG_CONFIG_HOME: join(root, "own"), CI: "1" };
    const login = runLogin({ root: undefined, provider: undefined, opensBrowser: false }, output, root, env);
    await expect.poll(() => lines.length).toBeGreaterThan(0);

    const { page, context: browserContext, errors } = await openPage(browser);
    context.onTestFinished(() => browserContext.close());
    await page.goto(lines[0]?.replace("Sign in at ", "") ?? "");
    await page.getByRole("textbox").fill("owner@example.com");
    await page.getByRole("button", { name: /link/i }).click();
    const mail = await platform.inbox.waitForMail("owner@example.com");
    const link = await browserContext.newPage();
    await link.goto(readSignInMail(mail).link);
    await link.getByRole("button", { name: "Sign in" }).click();
    await link.getByRole("heading", { name: "You are signed in" }).waitFor();
    expect(await login).toBe(0);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain("refreshToken");
    expect(errors).toEqual([]);
    expect(err.filter((line) => line.includes(" error "))).toEqual([]);

    expect(statSync(credentialsFile(env)).mode & 0o777).toBe(0o600);
    expect(await runWhoami(undefined, output, root, env)).toBe(0);
    expect(lines.join("\n")).toMatch(/owner@example\.com[\s\S]*company {2}1[\s\S]*owner/);
    // The sign-in is all that a deployment needs.
    expect(await runDeploy(undefined, { dir: "site" }, output, root, env)).toBe(0);
    expect(lines.join("\n")).toMatch(/1 of 1 files new, 35 B, [\d.]+ s\nhttp:\/\/[a-z0-9]{12}\.localhost/);
    expect(await runLogout(undefined, output, root, env)).toBe(0);
    expect(await runWhoami(undefined, output, root, env)).toBe(1);
  });
});
