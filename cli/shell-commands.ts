import { type Command, InvalidArgumentError, Option } from "commander";
import { terminal } from "./commands/output.ts";
import type { Target } from "./config/load/env.ts";

type StartFlags = { host?: true; target: Target; port?: number; open: boolean; strict?: true };
type BuildFlags = { target: Target; strict?: true };

/** Adds `init`, `start` (alias `dev`) and `build`. The code of a command is loaded only when it runs. */
export function addShellCommands(program: Command): void {
  program
    .command("init")
    .description("Create a sample platform.config.ts")
    .argument("[root]", "folder of the project")
    .option("--force", "overwrite an existing configuration")
    .action(async (root: string | undefined, { force }: { force?: true }) => {
      const { runInit } = await import("./commands/init.ts");
      process.exitCode = runInit({ root, isForced: force === true }, terminal);
    });

  program
    .command("start")
    .alias("dev")
    .description("Serve the shell and apply edits of its configuration")
    .argument("[root]", "folder of the project")
    .option("--host", "listen on all addresses of this machine")
    .addOption(targetOption())
    .addOption(new Option("--port <n>", "port; default: the port in the configuration").argParser(readPort))
    .option("--no-open", "do not open a browser")
    .option("--strict", "unknown keys are errors")
    .action(async (root: string | undefined, { host, target, port, open, strict }: StartFlags) => {
      const { runStart } = await import("./commands/start.ts");
      const options = { root, target, isOpen: host === true, isStrict: strict === true, port, opensBrowser: open };
      process.exitCode = await runStart(options, terminal);
    });

  program
    .command("build")
    .description("Build the shell into dist/web, for any static host")
    .argument("[root]", "folder of the project")
    .addOption(targetOption().env("PLATFORM_TARGET"))
    .option("--strict", "unknown keys are errors")
    .action(async (root: string | undefined, { target, strict }: BuildFlags) => {
      const { runBuild } = await import("./commands/build.ts");
      process.exitCode = await runBuild({ root, target, isStrict: strict === true }, terminal);
    });
}

/** Adds `login`, `logout` and `whoami`. */
export function addAccountCommands(program: Command): void {
  program
    .command("login")
    .description("Sign in, for commands that require it")
    .argument("[root]", "folder of the project")
    .option("--provider <id>", "sign-in provider; default: choose in the browser")
    .option("--no-browser", "do not open a browser")
    .action(async (root: string | undefined, { provider, browser }: { provider?: string; browser: boolean }) => {
      const { runLogin } = await import("./commands/login.ts");
      process.exitCode = await runLogin({ root, provider, opensBrowser: browser }, terminal);
    });
  program
    .command("logout")
    .description("Sign out")
    .argument("[root]", "folder of the project")
    .action(async (root: string | undefined) => {
      const { runLogout } = await import("./commands/account.ts");
      process.exitCode = await runLogout(root, terminal);
    });
  program
    .command("whoami")
    .description("Show who is signed in")
    .argument("[root]", "folder of the project")
    .action(async (root: string | undefined) => {
      const { runWhoami } = await import("./commands/account.ts");
      process.exitCode = await runWhoami(root, terminal);
    });
}

function targetOption(): Option {
  return new Option("--target <target>", "platform to build for").choices(["web", "desktop"]).default("web");
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new InvalidArgumentError("It must be from 1 to 65535.");
  return port;
}
