import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { TestContext } from "vitest";
import { readShellFiles } from "../../../cli/page/shell-files.ts";
import { buildExamples } from "../../../scripts/support/examples/build.ts";
import { deployExamples, type ExampleUrls } from "../../../scripts/support/examples/deploy.ts";
import { repository } from "../../../scripts/support/shell/current.ts";
import { exampleEnv } from "../../../scripts/support/shell/start.ts";
import { startServer } from "../cli/server.ts";
import { readSignInMail } from "../mail/maildev";
import type { Platform } from "../platform/platform";
import { signInAt } from "../platform/platform-session";

type Context = Pick<TestContext, "onTestFinished">;
/** The applications that are deployed to each platform of this test worker. */
const deployed = new Map<string, Promise<ExampleUrls>>();

/**
 * Starts the shell of `examples/` over a running platform, to which it deploys the applications at the first call. Returns the
 * shell's URL.
 */
export async function startExamples(context: Context, platform: Platform): Promise<string> {
  const deployment = deployed.get(platform.url) ?? buildAndDeploy(platform);
  deployed.set(platform.url, deployment);
  const env = exampleEnv(platform.url, await deployment);
  const port = platform.shellPort;
  await startServer(context, join(repository, "examples"), { shell: await readShellFiles({}), port, env });
  return `http://localhost:${port}`;
}

async function buildAndDeploy(platform: Platform): Promise<ExampleUrls> {
  const token = await signInAt(platform, "owner@example.com");
  const folder = mkdtempSync(join(tmpdir(), "platform-examples-"));
  await buildExamples(folder, platform.url);
  const urls = await deployExamples(folder, { url: platform.url, token });
  // Tests read the first sign-in mail of an address.
  await platform.inbox.clear();
  return urls;
}

/** Signs a user in with the emailed code and waits until the shell opens `path`. The shell must be in English. */
export async function signIn(page: Page, { inbox }: Platform, shell: string, email: string, path: string) {
  await page.goto(`${shell}/login?next=${encodeURIComponent(path)}`);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Send sign-in link" }).click();
  const { code } = readSignInMail(await inbox.waitForMail(email));
  await page.getByLabel("Sign-in code").fill(code);
  await page.waitForURL(shell + path);
}
