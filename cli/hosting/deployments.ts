import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Output, paint } from "../commands/output.ts";
import type { App, Deployment } from "./api.ts";
import { listAll, requireApp } from "./apps.ts";
import { formatBytes, formatTime, plainText, shortId } from "./format.ts";
import { CommandFailure, type HostedProject, runInProject } from "./project.ts";

const idPattern = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/i;

/** `platform deployments`: lists the deployments of the app, the newest first. Returns the exit code. */
export async function runDeployments(
  root: string | undefined,
  { isJson }: { isJson: boolean },
  output: Output,
  cwd = process.cwd(),
  env = process.env,
): Promise<number> {
  const printJson = isJson ? output.out : undefined;
  return await runInProject({ root, output, cwd, env }, { printJson }, async (project) => {
    const app = await requireApp(project);
    const deployments = await listDeployments(project, app);
    if (isJson) {
      output.out(JSON.stringify(deployments, null, 2));
      return 0;
    }
    if (deployments.length === 0) output.out("No deployments yet.");
    const rows = deployments.map((deployment) => cellsOf(deployment, app, project));
    for (const line of tableOf(rows, process.stdout.columns)) output.out(line);
    if (app.urls !== undefined) output.out(paint("dim", `live at ${app.urls.url}`));
    return 0;
  });
}

/** Returns the deployments of an app, the newest first. */
export function listDeployments({ api }: HostedProject, app: App): Promise<Deployment[]> {
  return listAll<Deployment>(api, `apps/${app.id}/deployments`);
}

/** Returns what the terminal shows of a deployment: id, version, state, time, files, user and message. */
function cellsOf(deployment: Deployment, app: App, { userId }: HostedProject): string[] {
  const { id, app_version, status, pinned, finalized_at, created_at, file_count, bytes_new, message } = deployment;
  const isLive = id === app.current_deployment_id;
  const files = file_count === null ? "" : `${file_count} files, ${formatBytes(bytes_new ?? 0)} new`;
  return [
    shortId(id),
    app_version,
    isLive ? "live" : status,
    formatTime(finalized_at ?? created_at),
    files,
    userOf(deployment, userId),
    `${pinned ? "(pinned) " : ""}${plainText(message)}`,
  ];
}

export function userOf({ deployed_by_id }: Deployment, userId: string | undefined): string {
  return String(deployed_by_id) === userId ? "you" : `user ${deployed_by_id}`;
}

/** The cells that stay together on the first line of a deployment in a narrow terminal: id, version, state and time. */
const FIRST_CELLS = 4;

/** Returns rows as lines with aligned columns. If a line is wider than the terminal, each row has its details on a second line. */
export function tableOf(rows: readonly string[][], columns = Number.POSITIVE_INFINITY): string[] {
  const lines = alignedLines(rows);
  if (lines.every((line) => line.length <= columns)) return lines;
  const details = rows.map((row) => row.slice(FIRST_CELLS).filter((cell) => cell !== ""));
  return alignedLines(rows.map((row) => row.slice(0, FIRST_CELLS))).flatMap((line, index) => [
    line,
    `  ${details[index]?.join(", ")}`,
  ]);
}

function alignedLines(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Returns the folder and the id. A single argument that is a word and not a folder is the id: `platform rollback 0b1d6f0c`. */
export function splitArguments({ root, id }: { root: string | undefined; id: string | undefined }, cwd: string) {
  const isId = id === undefined && root !== undefined && /^[\w-]+$/.test(root) && !existsSync(resolve(cwd, root));
  return isId ? { root: undefined, id: root } : { root, id };
}

/** Returns the deployment whose id begins with `id`. Throws a CommandFailure if there is none, or if there are several. */
export function findById<Listed extends Deployment>(deployments: readonly Listed[], id: string): Listed {
  if (!idPattern.test(id))
    throw new CommandFailure(
      `deployment-id-invalid: "${id}" is not the id of a deployment, or its first 8 characters.`,
    );
  const found = deployments.filter((deployment) => deployment.id.startsWith(id.toLowerCase()));
  const [deployment, other] = found;
  if (deployment === undefined)
    throw new CommandFailure(
      `deployment-not-found: No deployment begins with ${id}. \`platform deployments\` lists them.`,
    );
  if (other !== undefined)
    throw new CommandFailure(`deployment-ambiguous: ${found.length} deployments begin with ${id}.`);
  return deployment;
}
