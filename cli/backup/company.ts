import type { BackupDescription, BackupTable } from "../../schemas/backup.ts";
import { BackupError, type BackupLine } from "./archive.ts";

/**
 * Throws a BackupError unless the rows of a file belong to its company, as far as each row tells it by itself. The file may come from
 * that company, and its hashes prove nothing: it must not bring rows of others, nor make anybody staff. `described`: what the services
 * have, and not what the file claims. Rows that belong to the company by another table are compared after they are written.
 */
export async function requireRowsOfCompany(
  lines: AsyncIterable<BackupLine>,
  companyId: number,
  described: ReadonlyMap<string, BackupDescription>,
): Promise<void> {
  for await (const line of lines) {
    if (line.type === "secrets") throw new BackupError("backup-damaged: The file of one company has no secrets.");
    if (line.type !== "rows") continue;
    const table = described.get(line.service)?.tables.find(({ name }) => name === line.table);
    const isAccepted = table?.company !== undefined && line.rows.every((row) => isOfCompany(row, companyId, table));
    if (isAccepted) continue;
    throw new BackupError(
      `rows-refused: ${line.service}.${line.table} has rows that no export of company ${companyId} has. The file was changed.`,
    );
  }
}

function isOfCompany(text: string, companyId: number, { columns, company }: BackupTable): boolean {
  const row = readRow(text);
  if (row === null || company === undefined || row.length !== columns.length) return false;
  const get = (column: string) => row[columns.indexOf(column)];
  const hasValues = Object.entries(company.values).every(([column, value]) => get(column) === value);
  const { rule } = company;
  if ("prefixed" in rule) return hasValues && String(get(rule.prefixed)).startsWith(`${companyId}:`);
  return hasValues && (rule.in !== undefined || get(rule.column) === companyId);
}

function readRow(text: string): unknown[] | null {
  try {
    const row: unknown = JSON.parse(text);
    return Array.isArray(row) ? row : null;
  } catch {
    return null;
  }
}
