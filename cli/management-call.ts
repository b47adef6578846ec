import type { CommandCounts, CommandSpec, ManagementLine } from "../schemas/management.ts";
import type { Target } from "./target.ts";

/** The result of a management call. `usage`: the service does not know the command or a flag. */
export type CallEnd =
  | { kind: "result"; line: string; counts: CommandCounts; runId: number | null; next: string | null }
  | { kind: "failed"; line: string }
  | { kind: "usage"; line: string };

/** Runs a command at a service and reports its progress. A response stream without a final line is a failure. */
export async function callManagement(
  target: Target,
  { name: command, flags: specs }: Pick<CommandSpec, "name" | "flags">,
  flags: Record<string, unknown>,
  onProgress: (counts: CommandCounts) => void,
): Promise<CallEnd> {
  const failed = (cause: string): CallEnd => ({
    kind: "failed",
    line: `CommandError: ${command} failed: ${cause} (run_id=-)`,
  });
  let response: Response;
  try {
    response = await fetch(`${target.url}/api/v1/management/${command}`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${target.credential}`, "content-type": "application/json" },
      body: JSON.stringify({ flags }),
    });
  } catch {
    return failed(`Unreachable: ${target.url} does not respond`);
  }
  if (response.status !== 200) return errorOf(response, specs, failed);
  for await (const line of readLines(response)) {
    if (line.type === "progress") onProgress(line.counts);
    if (line.type === "error") return { kind: "failed", line: line.line };
    if (line.type === "result") {
      const { counts, run_id: runId, next = null } = line;
      return { kind: "result", line: line.line, counts, runId, next };
    }
  }
  return failed("Interrupted: the response ended before its last line");
}

async function errorOf(
  response: Response,
  specs: CommandSpec["flags"],
  failed: (cause: string) => CallEnd,
): Promise<CallEnd> {
  const text = await response.text();
  let body: { error_code?: unknown; message?: unknown; field_errors?: Record<string, string[]> } = {};
  try {
    body = JSON.parse(text);
  } catch {
    return failed(`HTTP ${response.status}: the response is not JSON. Check that the URL belongs to the service.`);
  }
  const flags = Object.entries(body.field_errors ?? {}).map(([field, codes]) => {
    const name = field.replace(/^flags\./, "");
    const help = specs.find((flag) => flag.name === name)?.help;
    return `--${name.replaceAll("_", "-")}: ${codes.join(", ")}${help === undefined ? "" : ` (${help})`}`;
  });
  if (response.status === 404) return { kind: "usage", line: "The service does not know this command." };
  if (response.status === 400 && flags.length > 0) return { kind: "usage", line: flags.join("; ") };
  return failed(`${String(body.error_code ?? response.status)}: ${String(body.message ?? `HTTP ${response.status}`)}`);
}

async function* readLines(response: Response): AsyncGenerator<ManagementLine> {
  let incompleteLine = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    incompleteLine += decoder.decode(chunk, { stream: true });
    const lines = incompleteLine.split("\n");
    incompleteLine = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield JSON.parse(line) as ManagementLine;
  }
}
