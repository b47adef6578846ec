import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { afterAll } from "vitest";
import { readShellFiles } from "../../../cli/page/shell-files.ts";
import { type Cleanup, makeProject } from "../cli/project.ts";
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
  context: Cleanup,
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

/**
 * Returns a function that calls `open` once for all tests of a file, because a loaded shell costs more than most tests. What it
 * opened closes after the file. Each test closes what it opens itself.
 */
export function openOnce<T>(open: (context: Cleanup) => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  const ends: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return () => {
    opened ??= open({ onTestFinished: (end) => void ends.push(end) });
    return opened;
  };
}
