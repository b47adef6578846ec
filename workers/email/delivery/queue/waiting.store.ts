import { and, eq, lte, type SQL } from "drizzle-orm";
import { isNotHeld } from "../../../../db/email/conditions/broadcasts";
import { isUnexpired, isWaiting } from "../../../../db/email/conditions/messages";
import { isNotPaused } from "../../../../db/email/conditions/pauses";
import { messages } from "../../../../db/email/schema";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { integer, text } from "../../../kit/db/kind";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** When a pause ends, at most this many messages are enqueued. The sweep, which runs every minute, enqueues the rest. */
const MAX_ENQUEUED = 500;

const { id, lane, company_id, next_attempt_at } = messages;
const dueParameters = { lane, now: integer, platformFingerprint: text };

// The same condition as in claimDue (claim.store.ts), because a message that cannot be claimed need not be enqueued.
const isDue = (p: { lane: SQL<Lane>; now: SQL<number>; platformFingerprint: SQL<string> }) =>
  and(
    eq(lane, p.lane),
    isWaiting,
    lte(next_attempt_at, p.now),
    isUnexpired(p.now),
    isNotPaused(p.platformFingerprint),
    isNotHeld,
  );

/** Statement: the messages of a lane that can be claimed at `now` (unix ms), ordered by due time. */
export const findDueOfLane = statement(dueParameters, (p) =>
  queryBuilder.select({ id, company_id }).from(messages).where(isDue(p)).orderBy(next_attempt_at).limit(MAX_ENQUEUED),
);

/** Statement: like findDueOfLane, for one company. */
export const findDueOfCompany = statement({ ...dueParameters, companyId: company_id }, (p) =>
  queryBuilder
    .select({ id, company_id })
    .from(messages)
    .where(and(isDue(p), eq(company_id, p.companyId)))
    .orderBy(next_attempt_at)
    .limit(MAX_ENQUEUED),
);
