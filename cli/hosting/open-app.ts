import type { Output } from "../commands/output.ts";
import { canOpenBrowser, openBrowser } from "../serve/open-browser.ts";
import { requireApp } from "./apps.ts";
import { CommandFailure, runInProject } from "./project.ts";

/** `platform open`: prints the address of the app and opens it in the browser. Returns the exit code. */
export async function runOpen(
  root: string | undefined,
  output: Output,
  cwd = process.cwd(),
  env = process.env,
): Promise<number> {
  return await runInProject({ root, output, cwd, env }, {}, async (project) => {
    const { urls } = await requireApp(project);
    if (urls === undefined)
      throw new CommandFailure(`app-not-live: No deployment of "${project.appName}" is live. Run \`platform deploy\`.`);
    output.out(urls.url);
    // The service is trusted to name a web address only; a program that opens files must not get another one.
    if (canOpenBrowser(env) && /^https?:\/\//.test(urls.url))
      await openBrowser(urls.url, env).catch(() => output.err("warning: no browser could be opened."));
    return 0;
  });
}
