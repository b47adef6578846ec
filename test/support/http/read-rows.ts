import { vi } from "vitest";

/** Runs a call and returns the number of database rows that its request log reports as read. */
export async function rowsReadBy(call: () => Promise<unknown>): Promise<number> {
  let rowCount: number | undefined;
  const spy = vi.spyOn(console, "log").mockImplementation((line: string) => {
    const entry = JSON.parse(line) as { message: string; db_rows_read?: number };
    if (entry.message === "request") rowCount = entry.db_rows_read;
  });
  try {
    await call();
  } finally {
    spy.mockRestore();
  }
  if (rowCount === undefined) throw new Error("no request was logged");
  return rowCount;
}
