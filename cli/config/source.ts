import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Finding } from "../../schemas/shell/page.ts";
import { collectFindings, fileFinding, type Locate, type Position, showPath } from "./findings.ts";
import { bundleConfig } from "./load/bundle.ts";
import type { Command, Target } from "./load/env.ts";
import { describeFailure, evaluateConfig, framesOf } from "./load/evaluate.ts";
import { JsonSyntaxError, parseJson, positionOfOffset } from "./load/json.ts";
import { fillPlaceholders } from "./load/placeholders.ts";
import { readSources } from "./positions.ts";

/** A configuration file: its value with the position of each part, or the error that prevented reading it. */
export type Source = { files: string[]; findings: Finding[]; read?: { value: unknown; locate: Locate } };

export type SourceOptions = {
  env: NodeJS.ProcessEnv;
  argument: { command: Command; target: Target };
  print: (line: string) => void;
  evaluationLimitMs?: number | undefined;
};

export async function readSource(file: string, options: SourceOptions): Promise<Source> {
  return file.endsWith(".json") ? readJson(file, options.env) : await readTypeScript(file, options);
}

function readJson(file: string, env: NodeJS.ProcessEnv): Source {
  const text = readFileSync(file, "utf8");
  try {
    const { value, offsets } = parseJson(text);
    const locate: Locate = (path, part = "value") => {
      for (let length = path.length; length >= 0; length--) {
        const offset = offsets.get(showPath(path.slice(0, length)));
        if (offset !== undefined)
          return { file, ...positionOfOffset(text, length === path.length ? offset[part] : offset.value) };
      }
      return { file, line: 1, column: 1 };
    };
    const { findings, report } = collectFindings(locate);
    return { files: [file], findings, read: { value: fillPlaceholders(value, env, report), locate } };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return {
      files: [file],
      findings: [fileFinding("config-syntax", file, error.message, positionOfOffset(text, error.offset))],
    };
  }
}

async function readTypeScript(file: string, options: SourceOptions): Promise<Source> {
  const result = await bundleConfig(file);
  if ("findings" in result) return result;
  const { files, bundle } = result;
  const { exported, locate, importOf } = readSources(bundle, file);
  if (exported === undefined) {
    const sentence = "Nothing is exported. Write `export default { … }`, or export it as `config`.";
    return { files, findings: [fileFinding("wrong-type", file, sentence)] };
  }
  const evaluation = await evaluateConfig({
    code: bundle.code,
    exported,
    folder: dirname(file),
    env: options.env,
    argument: options.argument,
    print: options.print,
    limitMs: options.evaluationLimitMs,
  });
  if (evaluation.kind !== "value") {
    const { code, sentence } = describeFailure(evaluation);
    const position =
      evaluation.kind === "thrown"
        ? (positionOfThrow(evaluation, bundle.origin) ?? importOf(missingPackage(evaluation.message)))
        : locate([]);
    return { files, findings: [{ ...(position ?? locate([])), level: "error", code, path: "", sentence }] };
  }
  const { findings, report } = collectFindings(locate);
  for (const { path, description } of evaluation.problems) {
    report("config-not-serializable", path, `It is ${description}; a configuration is plain JSON data.`, {
      part: "key",
    });
  }
  return { files, findings, read: { value: evaluation.value, locate } };
}

/** Returns the position in the user's files at which the configuration threw, or undefined if it is unknown. */
function positionOfThrow(
  { stack }: { stack: string },
  origin: (line: number, column: number) => Position | undefined,
): Position | undefined {
  for (const { line, column } of framesOf(stack)) {
    const position = origin(line, column);
    if (position !== undefined) return position;
  }
  return undefined;
}

function missingPackage(message: string): string {
  return /Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1] ?? "";
}
