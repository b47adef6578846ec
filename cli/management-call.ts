import type { CommandSpec } from "../schemas/management/command-spec.ts";
import type { CommandCounts, ManagementLine } from "../schemas/management.ts";
import type { Target } from "./target.ts";

/** The result of a management call. `usage`: the service does not know the command or a flag. */
export type CallEnd =
  | { kind: "result"; line: string; counts: CommandCounts; runId: number | null; next: string | null }
  /**
   * `isTemporary`: the same call may succeed later, after `retryAfterSeconds` if the service named them. `isUnauthorized`: the service
   * rejected the credential
   */
  | { kind: "failed"; line: string; isTemporary: boolean; retryAfterSeconds: number | null; isUnauthorized: boolean }
  | { kind: "usage"; line: string };

/** The rows of a call, and the functions that receive the output of the command while it runs. */
type CallOptions = {
  rows?: readonly unknown[];
  onProgress?: (counts: CommandCounts) => void;
  /** the call waits for it, so that the service sends no faster than the rows are processed */
  onRows?: (rows: readonly unknown[]) => void | Promise<void>;
  /** ends the call, which then counts as interrupted */
  signal?: AbortSignal;
};

type Failure = { isTemporary?: boolean; retryAfterSeconds?: number | null; isUnauthorized?: boolean };

/** Runs a command at a service and reports its progress. A response stream without a final line is a failure. */
export async function callManagement(
  target: Target,
  { name: command, flags: specs }: Pick<CommandSpec, "name" | "flags">,
  flags: Record<string, unknown>,
  { rows, onProgress, onRows, signal }: CallOptions,
): Promise<CallEnd> {
  const failed = (
    cause: string,
    { isTemporary = false, retryAfterSeconds = null, isUnauthorized = false }: Failure = {},
  ): CallEnd => ({
    kind: "failed",
    line: `CommandError: ${command} failed: ${cause} (run_id=-)`,
    isTemporary,
    retryAfterSeconds,
    isUnauthorized,
  });
  let response: Response;
  try {
    response = await fetch(`${target.url}/api/v1/management/${command}`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${target.credential}`, "content-type": "application/json" },
      body: JSON.stringify(rows === undefined ? { flags } : { flags, rows }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch {
    return failed(`Unreachable: ${target.url} does not respond`, { isTemporary: true });
  }
  if (response.status !== 200) return errorOf(response, specs, failed);
  const interrupted = () => failed("Interrupted: the response ended before its last line", { isTemporary: true });
  const lines = readLines(response);
  for (;;) {
    // Only reading may fail because of the connection; an error of `onRows` is thrown.
    const next = await lines.next().catch(() => null);
    if (next === null || next.done) return interrupted();
    const line = next.value;
    if (line.type === "progress") onProgress?.(line.counts);
    if (line.type === "rows") await onRows?.(line.rows);
    if (line.type === "error") {
      const retryAfterSeconds = line.retry_after ?? null;
      const isTemporary = retryAfterSeconds !== null || line.line.includes(": DatabaseError: ");
      return { kind: "failed", line: line.line, isTemporary, retryAfterSeconds, isUnauthorized: false };
    }
    if (line.type === "result") {
      const { counts, run_id: runId, next: after = null } = line;
      return { kind: "result", line: line.line, counts, runId, next: after };
    }
  }
}

async function errorOf(
  response: Response,
  specs: CommandSpec["flags"],
  failed: (cause: string, failure?: Failure) => CallEnd,
): Promise<CallEnd> {
  const isTemporary = response.status === 429 || response.status >= 500;
  const retryAfterSeconds = Number(response.headers.get("retry-after")) || null;
  const text = await response.text();
  let body: { error_code?: unknown; message?: unknown; field_errors?: Record<string, string[]> } = {};
  try {
    body = JSON.parse(text);
  } catch {
    const cause = `HTTP ${response.status}: the response is not JSON. Check that the URL belongs to the service.`;
    return failed(cause, { isTemporary, retryAfterSeconds });
  }
  const flags = Object.entries(body.field_errors ?? {}).map(([field, codes]) => {
    const name = field.replace(/^flags\./, "");
    const help = specs.find((flag) => flag.name === name)?.help;
    return `--${name.replaceAll("_", "-")}: ${codes.join(", ")}${help === undefined ? "" : ` (${help})`}`;
  });
  if (response.status === 404) return { kind: "usage", line: "The service does not know this command." };
  if (response.status === 400 && flags.length > 0) return { kind: "usage", line: flags.join("; ") };
  const cause = `${String(body.error_code ?? response.status)}: ${String(body.message ?? `HTTP ${response.status}`)}`;
  return failed(cause, { isTemporary, retryAfterSeconds, isUnauthorized: response.status === 401 });
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
