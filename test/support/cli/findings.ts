import { formatFindings } from "../../../cli/config/findings.ts";
import type { Finding } from "../../../schemas/shell/page.ts";

/** The lines of findings as a terminal shows them, without the one that counts. */
export function showFindings(findings: readonly Finding[], cwd: string): string[] {
  return formatFindings(findings, cwd).slice(0, -1);
}
