import { relative } from "node:path";
import { countRules, MAX_RULES } from "../build/headers.ts";
import { composeSite } from "../build/site.ts";
import { writeSite } from "../build/write-site.ts";
import type { Target } from "../config/load/env.ts";
import { loadConfig } from "../config/load.ts";
import { readShellFiles } from "../page/shell-files.ts";
import { type Output, paint, printFindings, printStep } from "./output.ts";

export type BuildOptions = { root: string | undefined; target: Target; isStrict: boolean };

const firstLoadLimit = 70_000;

/** `platform build`: writes the site to `dist/web` in the root folder. Returns the exit code. */
export async function runBuild(
  { root, target, isStrict }: BuildOptions,
  output: Output,
  cwd = process.cwd(),
  env = process.env,
): Promise<number> {
  const startedAt = performance.now();
  const step = async <Value>(name: string, work: () => Value | Promise<Value>): Promise<Value> => {
    const stepStartedAt = performance.now();
    const value = await work();
    printStep(output, name, performance.now() - stepStartedAt);
    return value;
  };
  const shell = await readShellFiles(env);
  const configStartedAt = performance.now();
  const loaded = await loadConfig({
    root,
    cwd,
    command: "build",
    target,
    env,
    isStrict,
    shell: { texts: shell.texts.en ?? {}, palettes: shell.palettes },
    print: (line) => output.err(`[config] ${line}`),
  });
  printFindings(output, loaded.findings, cwd);
  if (loaded.result === undefined) return 1;
  printStep(output, "config", performance.now() - configStartedAt);
  const site = await composeSite({ root: loaded.root, result: loaded.result, target, shell }, step);
  const web = await writeSite(loaded.root, site.files);
  const kilobytes = (site.firstLoadBytes / 1000).toFixed(1);
  if (site.firstLoadBytes > firstLoadLimit)
    output.err(`warning first-load: ${kilobytes} KB load before the first view; the target is at most 70 KB.`);
  const rules = countRules(site.files.get("_headers")?.toString() ?? "");
  if (rules > MAX_RULES)
    output.err(
      `warning header-rules: _headers has ${rules} rules, but some hosts read only the first ${MAX_RULES}. Move the pages of static/ into one folder, which needs two rules.`,
    );
  const total = `${site.files.size} files, first load ${kilobytes} KB`;
  printStep(output, `${relative(cwd, web) || web}/: ${paint("dim", total)}`, performance.now() - startedAt);
  return 0;
}
