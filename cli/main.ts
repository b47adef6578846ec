// `platform`: the command line. Exit codes: 0 done, 1 failed, 2 unknown command or bad flag.
import { Command, CommanderError } from "commander";
import { addManage } from "./manage.ts";
import { addAccountCommands, addShellCommands } from "./shell-commands.ts";
import { version } from "./version.ts";

const program = new Command("platform")
  .description("A signed-in frame for applications, and the services behind it")
  .version(version)
  .showHelpAfterError("(add --help for the commands and flags)")
  .exitOverride();
addShellCommands(program);
addAccountCommands(program);
addManage(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed its text by then; asking for help is no error.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    // What a command could not foresee is one line; the rest is for those who mend the command.
    const isTold = error instanceof Error && process.env.PLATFORM_DEBUG === undefined;
    console.error(isTold ? `error: ${error.message}` : error);
    process.exitCode = 1;
  }
}
