// `platform`: the command line. Exit codes: 0 done, 1 failed, 2 unknown command or bad flag.
import { Command, CommanderError } from "commander";
import { addManage } from "./manage.ts";

const program = new Command("platform")
  .description("Sign-in, mail, webhooks and scheduled jobs for companies")
  .showHelpAfterError("(add --help for the commands and flags)")
  .exitOverride();
addManage(program);

try {
  await program.parseAsync();
} catch (error) {
  // Commander has printed its text by then; asking for help is no error.
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
