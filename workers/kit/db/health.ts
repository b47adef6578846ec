import { errorName, type Log } from "../log";
import { withTimeout } from "../timeout";
import type { Db } from "./db";
import type { Bound } from "./statement";

const PING_TIMEOUT_MS = 2000;

/** Returns whether the database responds to `ping` within 2 s. */
export async function isDatabaseResponding(db: Db, ping: Bound<unknown>, log: Log): Promise<boolean> {
  try {
    await withTimeout(db.run(ping), PING_TIMEOUT_MS);
    return true;
  } catch (error) {
    log.error("the database did not respond", { cause: errorName(error) });
    return false;
  }
}
