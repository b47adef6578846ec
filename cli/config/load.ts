import { dirname } from "node:path";
import type { ShellConfig } from "../../schemas/shell/config.ts";
import type { Finding, PageConfig } from "../../schemas/shell/page.ts";
import { collectFindings, hasErrors, type Locate, sortFindings } from "./findings.ts";
import { type LegalFile, makeLegalFiles } from "./legal/legal-files.ts";
import { type Command, readEnvironment, type Target } from "./load/env.ts";
import { findConfig } from "./load/find.ts";
import { toPageConfig } from "./page-config.ts";
import type { ShellFacts } from "./rules/context.ts";
import { checkRules } from "./rules/rules.ts";
import { readSource } from "./source.ts";
import { listStaticFiles } from "./static-files.ts";
import { validateShape } from "./validate.ts";

export type LoadOptions = {
  root?: string | undefined;
  cwd: string;
  command: Command;
  target: Target;
  env: NodeJS.ProcessEnv;
  /** unknown keys are errors */
  isStrict?: boolean;
  /** the shell's texts and colours; if undefined, the rules that need them are skipped */
  shell?: ShellFacts;
  /** receives each line that the configuration prints */
  print?: (line: string) => void;
  evaluationLimitMs?: number;
};

/** A valid, frozen configuration and the documents published with its page. */
export type Config = { config: ShellConfig; page: PageConfig; legalFiles: LegalFile[]; env: NodeJS.ProcessEnv };

export type Loaded = {
  root: string;
  /** the configuration file; undefined if none was found, or if one folder contains both formats */
  file: string | undefined;
  findings: Finding[];
  /** paths to watch: the files that the configuration was built from, and missing files that it names */
  files: string[];
  /** undefined if there is an error */
  result: Config | undefined;
  /** returns the position of a value; missing if the file could not be read */
  locate?: Locate;
};

/** Finds, evaluates and validates a configuration. Returns all findings at once. */
export async function loadConfig(options: LoadOptions): Promise<Loaded> {
  const { command, target, shell, print = () => undefined } = options;
  const location = findConfig(options.root, options.cwd);
  const { root } = location;
  if ("finding" in location)
    return { root, file: undefined, findings: [location.finding], files: [], result: undefined };
  const { file } = location;
  const env = readEnvironment(root, command, options.env);
  const { evaluationLimitMs } = options;
  const source = await readSource(file, { env, argument: { command, target }, print, evaluationLimitMs });
  if (source.read === undefined) {
    return { root, file, findings: sortFindings(source.findings), files: source.files, result: undefined };
  }

  const { value, locate } = source.read;
  const { findings, report } = collectFindings(locate);
  const { rawConfig, config } = validateShape(value, report, options.isStrict === true);
  const staticFiles = listStaticFiles(root);
  const folders = { root, folder: dirname(file), command, staticFiles };
  const files = [...source.files, ...checkRules({ rawConfig, report, locate, shell, ...folders })];
  const allFindings = sortFindings([
    ...source.findings,
    ...findings.filter((finding) => !isCausedByUnreadValue(finding, source.findings)),
  ]);
  if (config === undefined || hasErrors(allFindings))
    return { root, file, findings: allFindings, files, result: undefined, locate };
  const legal = await makeLegalFiles(config.legalDocuments, folders.folder);
  const page = toPageConfig(config, { ...folders, legal, env });
  const result = deepFreeze({ config, page, legalFiles: legal.files, env });
  return { root, file, findings: allFindings, files, result, locate };
}

/**
 * Returns whether a finding only follows from a value that could not be read. `unread` already contains the error of such a
 * value.
 */
function isCausedByUnreadValue({ code, path }: Finding, unread: Finding[]): boolean {
  const isTypeOrValueError = code === "wrong-type" || code === "invalid-value";
  return isTypeOrValueError && unread.some((finding) => finding.level === "error" && finding.path === path);
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
