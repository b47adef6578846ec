import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import type { TestContext } from "vitest";
import { readShellFiles } from "../../../cli/page/shell-files.ts";
import { makeProject } from "../cli/project.ts";
import { startServer } from "../cli/server.ts";
import { openPage } from "../platform/chromium.ts";

type Options = BrowserContextOptions & {
  path: string;
  prepare?: (context: BrowserContext) => Promise<unknown>;
  /** the load state to wait for; the load event includes frames */
  waitUntil?: "load" | "domcontentloaded";
};

/** Serves a shell with this configuration and opens it at `path`; everything closes with the test. */
export async function openShell(
  context: TestContext,
  browser: Browser,
  config: object,
  { path, prepare, waitUntil = "load", ...options }: Options,
) {
  const root = makeProject(context, {
    "platform.config.json": JSON.stringify({ title: "Aster", ...config }),
  });
  const { port } = await startServer(context, root, { shell: await readShellFiles({}) });
  const { page, errors } = await openPage(browser, options);
  context.onTestFinished(() => page.context().close());
  await prepare?.(page.context());
  const origin = `http://localhost:${port}`;
  await page.goto(origin + path, { waitUntil });
  return { page, errors, origin };
}
