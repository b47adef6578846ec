// `platform`: the command line. Exit codes: 0 done, 1 failed, 2 unknown command or bad flag.
import { Command, CommanderError } from "commander";
import { addBackupCommands } from "./backup-commands.ts";
import { addHostingCommands } from "./hosting-commands.ts";
import { addManage } from "./manage.ts";
import { addRotate } from "./rotate-command.ts";
import { addAccountCommands, addShellCommands } from "./shell-commands.ts";
import { version } from "./version.ts";

const program = new Command("platform")
  .description("Builds and deploys the shell, and manages its services")
  .version(version)
  .showHelpAfterError("(add --help for the commands and flags)")
  .exitOverride();
addShellCommands(program);
addAccountCommands(program);
addHostingCommands(program);
addManage(program);
addBackupCommands(program);
addRotate(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already printed its message; --help is not an error.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    // Unexpected errors print one line; with PLATFORM_DEBUG set, they print the stack.
    const isOneLine = error instanceof Error && process.env.PLATFORM_DEBUG === undefined;
    console.error(isOneLine ? `error: ${error.message}` : error);
    process.exitCode = 1;
  }
}
