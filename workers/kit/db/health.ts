import type { Statement } from "../db";
import { errorName, type Log } from "../log";
import type { Db } from "./db";

const pingTimeoutMs = 2000;

/** Whether the database answers `ping` within 2 s (identity details 18, email details 14). */
export async function isDatabaseAnswering(db: Db, ping: Statement, log: Log): Promise<boolean> {
  let stop = () => {};
  const late = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), pingTimeoutMs);
    stop = () => clearTimeout(timer);
  });
  const answered = db.first(ping.bind(db)).then(
    () => true,
    (error: unknown) => {
      log.error("database does not answer", { cause: errorName(error) });
      return false;
    },
  );
  const result = await Promise.race([answered, late]);
  stop();
  return result;
}
