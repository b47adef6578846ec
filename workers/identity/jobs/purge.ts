import type { Statement } from "../../kit/db";
import type { IdentityServices } from "../services";
import { purgeEvents } from "../store/event-log";
import { purgeMail } from "../store/mail-outbox";
import { purgeOAuthStates } from "../store/oauth-states";
import { purgeAuthCodes, purgeEndedSessions, purgeRevokedSessions } from "../store/sessions";
import { purgeSignInRequests } from "../store/sign-in-requests";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const perStatement = 2000;
const maxRunMs = 5 * 60_000;

/** What is purged, and how long after its end (details 13). */
const purges: { name: string; statement: Statement; keepMs: number }[] = [
  { name: "sign_in_requests", statement: purgeSignInRequests, keepMs: dayMs },
  { name: "auth_codes", statement: purgeAuthCodes, keepMs: hourMs },
  { name: "oauth_states", statement: purgeOAuthStates, keepMs: hourMs },
  { name: "ended_sessions", statement: purgeEndedSessions, keepMs: 7 * dayMs },
  { name: "revoked_sessions", statement: purgeRevokedSessions, keepMs: 7 * dayMs },
  { name: "mail_outbox", statement: purgeMail, keepMs: dayMs },
];

/** Deletes rows past their retention, 2000 per statement, for at most 5 minutes; the next hour goes on. */
export async function purgeExpiredData(services: IdentityServices): Promise<Record<string, number>> {
  const { db, clock, settings } = services;
  const startedAt = clock.now();
  const deleted: Record<string, number> = {};
  const drain = async (name: string, run: () => Promise<number>) => {
    deleted[name] = 0;
    for (;;) {
      const count = await run();
      deleted[name] += count;
      if (count < perStatement || clock.now() - startedAt > maxRunMs) return;
    }
  };
  for (const { name, statement, keepMs } of purges) {
    await drain(name, async () => (await db.run(statement.bind(db, startedAt - keepMs))).meta.changes);
  }
  const retentionMs = settings.eventRetentionDays * dayMs;
  await drain("event_log", async () => (await db.run(purgeEvents.bind(db, retentionMs, startedAt))).meta.changes);
  return deleted;
}
