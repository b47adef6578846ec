import { and, eq, lte, type SQL } from "drizzle-orm";
import { isAlive, isWaiting } from "../../../../db/email/conditions/messages";
import { notPaused } from "../../../../db/email/conditions/pauses";
import { messages } from "../../../../db/email/schema";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import { integer, text } from "../../../kit/db/kind";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The end of one pause enqueues at most this many messages; the minute sweep enqueues the rest. */
const MAX_ENQUEUED = 500;

const { id, lane, company_id, next_attempt_at } = messages;
const dueParameters = { lane, now: integer, platformFingerprint: text };

// The same condition as the claim: messages that cannot be claimed need not be enqueued.
const isDue = (p: { lane: SQL<Lane>; now: SQL<number>; platformFingerprint: SQL<string> }) =>
  and(eq(lane, p.lane), isWaiting, lte(next_attempt_at, p.now), isAlive(p.now), notPaused(p.platformFingerprint));

/** Statement: messages of a lane that may be claimed at `now` (unix ms), the longest waiting first. */
export const findDueOfLane = statement(dueParameters, (p) =>
  queryBuilder.select({ id, company_id }).from(messages).where(isDue(p)).orderBy(next_attempt_at).limit(MAX_ENQUEUED),
);

/** Like findDueOfLane, for one company. */
export const findDueOfCompany = statement({ ...dueParameters, companyId: company_id }, (p) =>
  queryBuilder
    .select({ id, company_id })
    .from(messages)
    .where(and(isDue(p), eq(company_id, p.companyId)))
    .orderBy(next_attempt_at)
    .limit(MAX_ENQUEUED),
);
