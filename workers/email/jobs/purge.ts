import type { EmailServices } from "../services";
import { purgesOf } from "../store/purge";

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 400;
/** A run ends here; what is left goes an hour later (email details 13). */
const MAX_RUN_MS = 5 * 60_000;

/** Deletes what has outlived its retention, 2000 rows at a time, for at most 5 minutes (email details 13). */
export async function purgeExpiredData(services: EmailServices): Promise<void> {
  const { clock, db, log, settings } = services;
  const now = clock.now();
  const purges = purgesOf({
    messages: now - settings.messageRetentionDays * DAY_MS,
    requests: now - settings.idempotencyMs,
    suppressions: now,
    audit: now - HISTORY_DAYS * DAY_MS,
    day: new Date(now - HISTORY_DAYS * DAY_MS).toISOString().slice(0, 10),
  });
  for (const { name, run } of purges) {
    let isMoreLeft = true;
    while (isMoreLeft) {
      if (clock.now() - now > MAX_RUN_MS) {
        log.warn("purge out of time", { table: name });
        return;
      }
      isMoreLeft = await run(db);
    }
  }
}
