import type { Statement } from "../../kit/db";
import type { IdentityServices } from "../services";
import { purgeCompanyEvents, purgePlatformEvents } from "../store/event-log";
import { purgeMail } from "../store/mail-outbox";
import { purgeSeenDays } from "../store/metrics";
import { purgeOAuthStates } from "../store/oauth-states";
import { purgeExpiredPats, purgeRevokedPats } from "../store/personal-access-tokens";
import { purgeAuthCodes, purgeEndedSessions, purgeRevokedSessions } from "../store/sessions";
import { purgeSignInRequests } from "../store/sign-in-requests";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const perStatement = 2000;
const maxRunMs = 5 * 60_000;

/** What is purged, and how long after its end (details 13). Active people are counted over one month at most. */
const purges: { name: string; statement: Statement; keepMs: number }[] = [
  { name: "sign_in_requests", statement: purgeSignInRequests, keepMs: dayMs },
  { name: "auth_codes", statement: purgeAuthCodes, keepMs: hourMs },
  { name: "oauth_states", statement: purgeOAuthStates, keepMs: hourMs },
  { name: "ended_sessions", statement: purgeEndedSessions, keepMs: 7 * dayMs },
  { name: "revoked_sessions", statement: purgeRevokedSessions, keepMs: 7 * dayMs },
  { name: "expired_tokens", statement: purgeExpiredPats, keepMs: 30 * dayMs },
  { name: "revoked_tokens", statement: purgeRevokedPats, keepMs: 30 * dayMs },
  { name: "mail_outbox", statement: purgeMail, keepMs: dayMs },
  { name: "seen_days", statement: purgeSeenDays, keepMs: 40 * dayMs },
];

/** Deletes rows past their retention, 2000 per statement, for at most 5 minutes; the next hour goes on. */
export async function purgeExpiredData(services: IdentityServices): Promise<Record<string, number>> {
  const { db, clock, settings } = services;
  const startedAt = clock.now();
  const deleted: Record<string, number> = {};
  const drain = async (name: string, run: () => Promise<number>) => {
    deleted[name] ??= 0;
    while (clock.now() - startedAt < maxRunMs) {
      const count = await run();
      deleted[name] += count;
      if (count < perStatement) return;
    }
  };
  for (const { name, statement, keepMs } of purges) {
    await drain(name, async () => (await db.run(statement.bind(db, startedAt - keepMs))).meta.changes);
  }
  let company = 0;
  await drain("events", async () => {
    const rows = await db.all<{ company_id: number }>(purgeCompanyEvents.bind(db, startedAt, company));
    company = rows.reduce((last, row) => Math.max(last, row.company_id), company);
    return rows.length;
  });
  const platformCut = startedAt - settings.eventRetentionDays * dayMs;
  await drain("events", async () => (await db.run(purgePlatformEvents.bind(db, platformCut))).meta.changes);
  return deleted;
}
