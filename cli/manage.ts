import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandSpec, FlagSpec } from "../schemas/management/command-spec.ts";
import { type CommandCounts, managementCommands } from "../schemas/management.ts";
import { managementEnv } from "./account/management-env.ts";
import { generateJwtKeys } from "./jwt-keys.ts";
import { callManagement } from "./management-call.ts";
import { findTarget, type Target, TargetError } from "./target.ts";

/**
 * Adds `platform manage <service> <command>`. The options and help come from `managementCommands`, which the services also
 * use to validate flags.
 */
export function addManage(program: Command): void {
  const manage = program.command("manage").description("Run a management command of a service");
  for (const [service, commands] of Object.entries(managementCommands)) {
    const group = manage.command(service).description(`Commands of ${service}`);
    for (const spec of commands as readonly CommandSpec[]) if (!spec.internal) addCommand(group, service, spec);
  }
}

function addCommand(group: Command, service: string, spec: CommandSpec): void {
  const command = group.command(spec.name).description(spec.help);
  const flagSpecs: readonly FlagSpec[] = spec.flags;
  const positional = flagSpecs.filter((flag) => flag.positional);
  for (const flag of positional) command.argument(`<${flag.name}>`, flag.help, (text) => readValue(flag, text));
  for (const flag of flagSpecs) if (!flag.positional) command.addOption(toOption(flag));
  if (spec.access !== "local")
    command.option(
      "--url <origin>",
      `base URL of ${service}; default: PLATFORM_${service.toUpperCase()}_URL, else the running npm start`,
    );
  command.action(async (...values: unknown[]) => {
    // Commander passes the arguments first, then the options and the command.
    const options = values[positional.length] as Record<string, unknown>;
    if (spec.access === "local") {
      generateJwtKeys();
      return;
    }
    const { url: urlOption, ...flagOptions } = options;
    const url = typeof urlOption === "string" ? urlOption : undefined;
    const flags = Object.fromEntries(flagSpecs.map(({ name }) => [name, readOption(flagOptions, name)]));
    for (const [index, { name }] of positional.entries()) flags[name] = values[index];
    process.exitCode = await withTarget(service, spec, url, async (target) => {
      const loadFileCommand = fileCommands[`${service} ${spec.name}`];
      if (loadFileCommand === undefined) return await runCommand(target, spec, flags);
      const run = await loadFileCommand();
      return await run(target, spec, flags);
    });
  });
}

type Flags = Record<string, unknown>;

/** Runs a command at a service. Returns the exit code. */
type RunCommand = (target: Target, spec: CommandSpec, flags: Flags) => Promise<number>;

/** The commands that read or write files. Their code is loaded only when they run. */
const fileCommands: Readonly<Record<string, () => Promise<RunCommand>>> = {
  "identity import_people": async () => (await import("./people/import.ts")).runImport,
  "identity export_people": async () => (await import("./people/export.ts")).runExport,
};

/** Finds the service and runs `work`. Returns its exit code, or prints why the service cannot be called. */
async function withTarget(
  service: string,
  { name }: CommandSpec,
  url: string | undefined,
  work: (target: Target) => Promise<number>,
): Promise<number> {
  try {
    const target = await findTarget(service, url, await managementEnv(service, url, process.env));
    if (!target.isLoopback) console.error(`${name} at ${target.url}`);
    return await work(target);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    console.error(error.message);
    return error.isUsage ? 2 : 1;
  }
}

/**
 * Runs a command and prints each result on stdout: a line on a terminal, one JSON object when piped. Prints an error as one
 * line on stderr. If a call stopped early, calls the command again until it is complete or `max_seconds` have passed. Each call
 * is a separate run.
 */
async function runCommand(target: Target, spec: CommandSpec, flags: Flags): Promise<number> {
  const maxSeconds = Number(flags.max_seconds ?? 0);
  const startedAt = Date.now();
  let runFlags = flags;
  for (;;) {
    const result = await callManagement(target, spec, runFlags, { onProgress: showProgress });
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    if (result.kind !== "result") {
      console.error(result.line);
      return result.kind === "usage" ? 2 : 1;
    }
    const { line, counts, runId, next } = result;
    const piped = JSON.stringify({ command: spec.name, exit_code: 0, line, run_id: runId, counts });
    console.log(process.stdout.isTTY ? line : piped);
    const secondsLeft = Math.floor(maxSeconds - (Date.now() - startedAt) / 1000);
    const isFinished = next === null && !isUnfinished(counts);
    if (isFinished || (maxSeconds > 0 && secondsLeft < 1)) return 0;
    runFlags = {
      ...flags,
      ...(maxSeconds > 0 ? { max_seconds: secondsLeft } : {}),
      ...(next === null ? {} : { after: next }),
    };
  }
}

/** Returns whether to repeat a call. This is true if the call stopped early but made progress. */
function isUnfinished({
  complete,
  remaining: _remaining,
  unreadable: _unreadable,
  ...progress
}: CommandCounts): boolean {
  return complete === false && Object.values(progress).some((count) => typeof count === "number" && count > 0);
}

function showProgress(counts: CommandCounts): void {
  if (!process.stderr.isTTY) return;
  const text = Object.entries(counts).map(([name, value]) => `${name}=${value}`);
  process.stderr.write(`\r\u001b[K${text.join(" ")}`);
}

function toOption(flag: FlagSpec): Option {
  const name = `--${flag.name.replaceAll("_", "-")}`;
  const fallback = flag.fallback ?? (flag.required ? "required" : "default of the service");
  const range = flag.max === undefined ? "" : ` (${flag.min ?? 0} to ${flag.max}; ${fallback})`;
  const value = flag.kind === "boolean" ? "" : ` <${placeholders[flag.kind]}>`;
  const option = new Option(`${name}${value}`, `${flag.help}${range}`);
  if (flag.choices !== undefined) option.choices(flag.choices);
  if (flag.kind === "integer" || flag.kind === "number") option.argParser((text) => readNumber(flag, text));
  return option.makeOptionMandatory(flag.required === true);
}

const placeholders = { text: "text", email: "address", url: "url", integer: "n", number: "n", file: "path" };

/** Returns the value of an argument. */
function readValue(flag: FlagSpec, text: string): string | number {
  return flag.kind === "integer" || flag.kind === "number" ? readNumber(flag, text) : text;
}

function readNumber(flag: FlagSpec, text: string): number {
  const value = Number(text);
  const isNumber = flag.kind === "integer" ? /^\d+$/.test(text) : /^\d+(\.\d+)?$/.test(text);
  if (!isNumber)
    throw new InvalidArgumentError(flag.kind === "integer" ? "It must be a whole number." : "It must be a number.");
  if (value < (flag.min ?? 0) || value > (flag.max ?? Number.MAX_SAFE_INTEGER)) {
    throw new InvalidArgumentError(`It must be from ${flag.min ?? 0} to ${flag.max ?? Number.MAX_SAFE_INTEGER}.`);
  }
  return value;
}

/** Returns the value of a flag. Commander parses `--no-lock` as `lock: false`. */
function readOption(options: Record<string, unknown>, name: string): unknown {
  return name.startsWith("no_") ? options[toCamel(name.slice(3))] === false : options[toCamel(name)];
}

function toCamel(name: string): string {
  return name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
