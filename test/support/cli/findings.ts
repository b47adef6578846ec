import { formatFindings } from "../../../cli/config/findings.ts";
import type { Finding } from "../../../schemas/shell/page.ts";

/** Returns findings as lines of terminal output, without the last line, which counts them. */
export function showFindings(findings: readonly Finding[], cwd: string): string[] {
  return formatFindings(findings, cwd).slice(0, -1);
}
