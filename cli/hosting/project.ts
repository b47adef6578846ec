import { ServiceError } from "../account/service.ts";
import { findToken } from "../account/session.ts";
import { openAccount } from "../commands/account-config.ts";
import { type Output, paint } from "../commands/output.ts";
import type { Config } from "../config/load.ts";
import { createApi, type HostingApi, HostingError } from "./api.ts";
import { FolderError } from "./upload/folder.ts";

/** Where a command runs, and where it prints. */
export type CommandContext = {
  root: string | undefined;
  output: Output;
  cwd: string;
  env: NodeJS.ProcessEnv;
};

/** A project whose app is hosted: its configuration, its root folder, and the API of its hosting service. */
export type HostedProject = {
  api: HostingApi;
  /** the name of the app, `hosting.app` of the configuration */
  appName: string;
  companyId: number;
  config: Config;
  root: string;
  /** the id of the signed-in user, or undefined if the token does not tell it */
  userId: string | undefined;
};

/** Thrown to end a command with an error. The message begins with a code. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

type RunOptions = {
  /** receives an error as JSON */
  printJson?: ((text: string) => void) | undefined;
  signal?: AbortSignal;
};

/**
 * Opens the project and runs `work`. Prints why the project cannot be opened, or why the service rejected a call, with its error
 * code. Returns the exit code: 1 after an error, 130 after an interruption.
 */
export async function runInProject(
  context: CommandContext,
  { printJson, signal }: RunOptions,
  work: (project: HostedProject) => Promise<number>,
): Promise<number> {
  const { output } = context;
  try {
    const project = await openProject(context, signal);
    if (project === undefined) return 1;
    try {
      return await work(project);
    } catch (error) {
      if (error instanceof HostingError && error.code === "hosting_access_denied") await offerRequest(project, output);
      throw error;
    }
  } catch (error) {
    if (signal?.aborted) {
      output.err("Interrupted. Run the command again to continue; until then the earlier deployment stays live.");
      return 130;
    }
    if (!isExpected(error)) throw error;
    output.err(`${paint("red", "error", process.stderr)} ${error.message}`);
    const hint = error instanceof HostingError || error instanceof ServiceError ? hints[hintOf(error)] : undefined;
    if (hint !== undefined) output.err(hint);
    printJson?.(JSON.stringify(toJson(error), null, 2));
    return 1;
  }
}

type ExpectedError = HostingError | ServiceError | FolderError | CommandFailure;

function isExpected(error: unknown): error is ExpectedError {
  return [HostingError, ServiceError, FolderError, CommandFailure].some((kind) => error instanceof kind);
}

const hintOf = ({ code, status }: HostingError | ServiceError) => (status === 401 ? "unauthorized" : code);

const hints: Readonly<Record<string, string>> = {
  unauthorized: "Sign in with `platform login`. In CI, set PLATFORM_TOKEN to a personal access token.",
  pat_read_only: "PLATFORM_TOKEN is a read-only token. Create a personal access token that may write.",
  hosting_not_configured: "The operator of the platform must set HOSTING_APP_DOMAIN.",
};

function toJson(error: ExpectedError) {
  const [code = "", ...rest] = error.message.split(": ");
  return { error_code: "code" in error ? error.code : code, message: rest.join(": ") };
}

async function openProject(
  { root, output, cwd, env }: CommandContext,
  signal: AbortSignal | undefined,
): Promise<HostedProject | undefined> {
  const opened = await openAccount(root, output, cwd, env);
  if (opened === undefined) return undefined;
  const { account, config } = opened;
  const { hosting } = config.config;
  if (hosting === undefined)
    throw new CommandFailure(
      'hosting-missing: The configuration has no hosting. Add hosting: { url: "https://hosting.example.com", app: "my-app" }.',
    );
  const url = new URL(hosting.url);
  if (url.protocol !== "https:" && !isLoopback(url.hostname))
    throw new CommandFailure("https-required: hosting.url must be https: only this machine may be called over http.");
  const token = await findToken(account, env);
  if (token === undefined) throw new CommandFailure(`signed-out: Nobody is signed in. ${hints.unauthorized}`);
  const api = createApi({
    url: hosting.url.replace(/\/+$/, ""),
    findToken: () => findToken(account, env),
    onWait: output.err,
    ...(signal && { signal }),
  });
  const userId = subjectOf(token);
  return { api, appName: hosting.app, companyId: account.companyId, config, root: opened.root, userId };
}

function isLoopback(host: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(host) || host.endsWith(".localhost");
}

/** Returns the user id in a token. The token is not verified. */
function subjectOf(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    return typeof claims === "object" && claims !== null && "sub" in claims ? String(claims.sub) : undefined;
  } catch {
    return undefined;
  }
}

/** Explains how a company may host apps. On a terminal, offers to ask for it. */
async function offerRequest({ api, companyId }: HostedProject, output: Output): Promise<void> {
  const approval = `Staff approve it with \`platform manage hosting approve_hosting_access ${companyId}\`.`;
  if (!(await output.confirm?.("Ask staff to let your company host apps?"))) {
    output.err(`Ask for it on a terminal, or with POST /hosting/v1/access/request. ${approval}`);
    return;
  }
  await api.post("access/request", {});
  output.err(`Your company has asked. ${approval} Then run the command again.`);
}
