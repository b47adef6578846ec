import type { Account } from "../account/credentials.ts";
import { accountOf } from "../account/session.ts";
import { hasErrors } from "../config/findings.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { type Output, printFindings } from "./output.ts";

/**
 * Returns the configuration, the account that it names, and its root folder. If one of them is missing, prints the reason and returns
 * undefined. Prints findings only if there is an error; `start` and `build` print warnings.
 */
export async function openAccount(
  root: string | undefined,
  output: Output,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ account: Account; config: Config; root: string } | undefined> {
  const print = (line: string) => output.err(`[config] ${line}`);
  const loaded = await loadConfig({ root, cwd, command: "start", target: "web", env, print });
  if (hasErrors(loaded.findings)) printFindings(output, loaded.findings, cwd);
  if (loaded.result === undefined) return undefined;
  const account = accountOf(loaded);
  if ("problem" in account) {
    output.err(`error: ${account.problem}`);
    return undefined;
  }
  return { account, config: loaded.result, root: loaded.root };
}
