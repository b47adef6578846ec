import { type Output, paint } from "../commands/output.ts";
import { type App, type Deployment, HostingError } from "./api.ts";
import { requireApp } from "./apps.ts";
import { findById, listDeployments, splitArguments, userOf } from "./deployments.ts";
import { formatTime, plainText, shortId } from "./format.ts";
import { CommandFailure, type HostedProject, runInProject } from "./project.ts";

/**
 * `platform rollback`: makes an earlier deployment live. `id` is its id, or at least the first 8 characters of it; without one the
 * user chooses on a terminal. Returns the exit code.
 */
export async function runRollback(
  args: { root: string | undefined; id: string | undefined },
  output: Output,
  cwd = process.cwd(),
  env = process.env,
): Promise<number> {
  const { root, id } = splitArguments(args, cwd);
  return await runInProject({ root, output, cwd, env }, {}, async (project) => {
    const app = await requireApp(project);
    const deployments = await listDeployments(project, app);
    const deployment = id === undefined ? await choose(deployments, project, output) : findById(deployments, id);
    if (deployment === undefined) {
      output.err("Nothing was changed.");
      return 1;
    }
    const rolledBack = await rollBack(project, app, deployment);
    output.out(`${paint("green", "✓")} ${shortId(deployment.id)} (${deployment.app_version}) is live`);
    const url = rolledBack.urls?.url ?? app.urls?.url;
    if (url !== undefined) output.out(url);
    return 0;
  });
}

/** Lets the user choose among the deployments that were live. Returns undefined if they chose none. */
async function choose(
  deployments: readonly Deployment[],
  { userId }: HostedProject,
  output: Output,
): Promise<Deployment | undefined> {
  const earlier = deployments.filter(({ status }) => status === "superseded");
  if (earlier.length === 0) throw new CommandFailure("no-earlier-deployment: No other deployment was live.");
  if (output.choose === undefined)
    throw new CommandFailure(
      `deployment-required: Name a deployment: \`platform rollback <id>\`. The last one was ${shortId(earlier[0]?.id ?? "")}.`,
    );
  const choices = earlier.map((deployment) => ({
    value: deployment.id,
    label: `${shortId(deployment.id)}  ${deployment.app_version}  ${formatTime(deployment.finalized_at ?? deployment.created_at)}`,
    hint: `${userOf(deployment, userId)} ${plainText(deployment.message)}`.trim(),
  }));
  const id = await output.choose("Which deployment should be live?", choices);
  return earlier.find((deployment) => deployment.id === id);
}

async function rollBack({ api }: HostedProject, app: App, { id }: Deployment): Promise<Deployment> {
  const path = `apps/${app.id}/deployments/${id}`;
  try {
    return await api.post<Deployment>(`${path}/rollback`);
  } catch (error) {
    if (!(error instanceof HostingError) || error.code !== "invalid_deployment_status") throw error;
    // It is live already, for example because an earlier try of this call lost its response.
    const deployment = await api.get<Deployment>(path);
    if (deployment.status !== "active") throw error;
    return deployment;
  }
}
