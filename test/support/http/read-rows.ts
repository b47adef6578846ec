import { vi } from "vitest";

/** Runs a call and answers how many rows its request line says the database read. */
export async function rowsReadBy(call: () => Promise<unknown>): Promise<number> {
  let found: number | undefined;
  const spy = vi.spyOn(console, "log").mockImplementation((line: string) => {
    const entry = JSON.parse(line) as { message: string; db_rows_read?: number };
    if (entry.message === "request") found = entry.db_rows_read;
  });
  try {
    await call();
  } finally {
    spy.mockRestore();
  }
  if (found === undefined) throw new Error("no request was logged");
  return found;
}
