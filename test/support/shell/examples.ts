import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import type { TestContext } from "vitest";
import { readShellFiles } from "../../../cli/page/shell-files.ts";
import { findFreePort } from "../../../scripts/support/processes/ports.ts";
import { startServer } from "../cli/server.ts";
import { readSignInMail } from "../mail/maildev";
import type { Platform } from "../platform/platform";

type Context = Pick<TestContext, "onTestFinished">;

const folder = fileURLToPath(new URL("../../../examples", import.meta.url));

/** Starts the shell of `examples/` over a running platform, and the server of its applications. Returns the shell's URL. */
export async function startExamples(context: Context, platform: Platform): Promise<string> {
  const [port, appsPort] = [await findFreePort(), await findFreePort()];
  const shell = `http://localhost:${port}`;
  const env = { PLATFORM_IDENTITY_URL: `${platform.url}/identity`, EXAMPLES_URL: `http://localhost:${appsPort}` };
  const apps = spawn(process.execPath, ["serve.ts"], {
    cwd: folder,
    env: { ...env, EXAMPLES_PORT: String(appsPort), SHELL_ORIGIN: shell },
    stdio: "inherit",
  });
  context.onTestFinished(() => void apps.kill());
  await startServer(context, folder, { shell: await readShellFiles({}), port, env });
  for (let attempt = 0; ; attempt += 1) {
    const isReady = await fetch(`http://localhost:${appsPort}/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return shell;
    if (attempt > 100) throw new Error("the example applications do not respond");
    await new Promise((resume) => setTimeout(resume, 50));
  }
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
