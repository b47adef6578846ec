import type { Output } from "../commands/output.ts";
import { canOpenBrowser, openBrowser } from "../serve/open-browser.ts";
import type { App } from "./api.ts";
import { listAll, requireApp } from "./apps.ts";
import { findById, listDeployments, splitArguments } from "./deployments.ts";
import { CommandFailure, type HostedProject, runInProject } from "./project.ts";

/**
 * `platform open`: prints the address of the app and opens it in the browser. With the id of a deployment it opens that deployment,
 * which only members can, by a link that works once. Returns the exit code.
 */
export async function runOpen(
  args: { root: string | undefined; id: string | undefined },
  output: Output,
  cwd = process.cwd(),
  env = process.env,
): Promise<number> {
  const { root, id } = splitArguments(args, cwd);
  return await runInProject({ root, output, cwd, env }, {}, async (project) => {
    const url = id === undefined ? addressOf(await requireApp(project), project) : await visit(id, project);
    output.out(url);
    // The service is trusted to name a web address only; a program that opens files must not get another one.
    if (canOpenBrowser(env) && /^https?:\/\//.test(url))
      await openBrowser(url, env).catch(() => output.err("warning: no browser could be opened."));
    return 0;
  });
}

function addressOf({ urls }: App, { appName }: HostedProject): string {
  if (urls !== undefined) return urls.url;
  throw new CommandFailure(`app-not-live: No deployment of "${appName}" is live. Run \`platform deploy\`.`);
}

/** Returns a link, which works once, to a deployment of the company: also previews have addresses of single deployments. */
async function visit(id: string, project: HostedProject): Promise<string> {
  const { api } = project;
  const lists = (await listAll<App>(api, "apps")).map(async (app) => {
    const deployments = await listDeployments(project, app);
    return deployments.map((deployment) => ({ ...deployment, path: `apps/${app.id}/deployments/${deployment.id}` }));
  });
  const { path } = findById((await Promise.all(lists)).flat(), id);
  const { url } = await api.post<{ url: string }>(`${path}/visit`);
  return url;
}
