import { hasErrors } from "../config/findings.ts";
import { type Loaded, loadConfig } from "../config/load.ts";
import { type Output, tellFindings } from "./output.ts";

/** The configuration for a command that only asks which account it is. Warnings are for those who serve or build it. */
export async function loadAccountConfig(
  root: string | undefined,
  output: Output,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Loaded> {
  const print = (line: string) => output.err(`[config] ${line}`);
  const loaded = await loadConfig({ root, cwd, command: "start", target: "web", env, print });
  if (hasErrors(loaded.findings)) tellFindings(output, loaded.findings, cwd);
  return loaded;
}
