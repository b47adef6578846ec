import type { BroadcastRow } from "../../../../db/email/rows";
import { uuid } from "../../../kit/ids";
import { errorName } from "../../../kit/log";
import { MINUTE_MS, SECOND_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { type EndResult, endCancelled, endFailed, endSent, hasEnded, purgeRecipients } from "./ending";
import { makeMessages } from "./making";
import { releaseUntil } from "./making.store";
import { begin, type PartResult, prepare, start } from "./preparing";
import {
  claimStep,
  findDueBroadcasts,
  findHeldBroadcast,
  type Lease,
  releaseLostStep,
  storeFailedStep,
} from "./step.store";
import { enqueueBroadcastSteps, type StepRow } from "./step-message";

/** A step begins no further part after this time, so it ends well before its lease. */
const STEP_MS = 10 * SECOND_MS;
/** The waits while a lane is paused, or while the last messages wait to be sent. */
const MIN_WAIT_MS = 30 * SECOND_MS;
const MAX_WAIT_MS = 10 * MINUTE_MS;
/** A broadcast without a message fails after this number of failed steps in a row. Others are continued. */
const MAX_FAILED_STEPS = 10;
const FAILING_STATES: ReadonlySet<BroadcastRow["state"]> = new Set(["queued", "preparing", "paused", "sending"]);

/** What follows a part: the next part at once, the next step after a wait, or nothing. `released`: the lease was given back. */
type Next = { kind: "again" | "ended" } | { kind: "wait" | "released"; waitMs: number };

const AGAIN: Next = { kind: "again" };

/**
 * Runs the next step of a broadcast. Returns false when no step is due, or another consumer runs it. A step may end at any point
 * and be repeated: each part stores its results in one transaction, only while the step holds the broadcast in the expected
 * state and position. After an unexpected error the next step waits longer with each failure.
 */
export async function runStep(services: EmailServices, { id, company_id }: StepRow): Promise<boolean> {
  const { clock, log } = services;
  const db = services.dbOf(company_id);
  const token = uuid();
  const stopAt = clock.now() + STEP_MS;
  const row = await claimStep(db, { id, companyId: company_id, token, now: clock.now() });
  if (row === null) return false;
  try {
    await runParts(services, row, { token, stopAt });
  } catch (error) {
    const failed = await storeFailedStep(db, { id, token, now: clock.now() });
    const { failedSteps = row.failed_steps, waitMs = 0 } = failed ?? {};
    log.error("broadcast step failed", {
      broadcast_id: id,
      company_id,
      failed_steps: failedSteps,
      error: errorName(error),
    });
    await enqueueBroadcastSteps(services, [{ id, company_id }], { delaySeconds: Math.ceil(waitMs / SECOND_MS) });
  }
  return true;
}

async function runParts(
  services: EmailServices,
  claimed: BroadcastRow,
  { token, stopAt }: { token: string; stopAt: number },
): Promise<void> {
  const { clock, log } = services;
  const { id, company_id } = claimed;
  const db = services.dbOf(company_id);
  let row: BroadcastRow | null = claimed;
  // A pause and a cancellation leave the lease, so the step continues with the state that they set.
  for (; row !== null && !isHeldBack(row, clock.now()); row = await db.first(findHeldBroadcast({ id, token }))) {
    const lease: Lease = { id, token, states: [row.state], cursor: row.cursor };
    const part = await runPart(services, row, lease, stopAt);
    const next = part.kind === "again" && clock.now() >= stopAt ? ({ kind: "wait", waitMs: 0 } as const) : part;
    log.info("broadcast step", { broadcast_id: id, company_id, state: row.state, ...next });
    if (next.kind === "again") continue;
    if (!("waitMs" in next)) return;
    const { waitMs } = next;
    const isReleased = next.kind === "released" || (await releaseUntil(db, lease, clock.now() + waitMs));
    const delaySeconds = isReleased ? Math.ceil(waitMs / SECOND_MS) : 0;
    await enqueueBroadcastSteps(services, [{ id, company_id }], { delaySeconds });
    return;
  }
  if (row !== null) await db.run(releaseLostStep({ id, token }));
}

/** Returns whether a broadcast is paused. The token of a paused broadcast is still erased at its end. */
const isHeldBack = ({ state, bearer_expires_at: endsAt }: BroadcastRow, now: number): boolean =>
  state === "paused" && (endsAt === null || endsAt > now);

/**
 * Continues a broadcast that was sent, resumed or cancelled. In synchronous mode it runs all steps that are due, so that a small
 * broadcast has ended when the request responds.
 */
export async function continueBroadcast(services: EmailServices, row: StepRow): Promise<void> {
  if (!services.settings.deliverSync) {
    services.waitUntil(enqueueBroadcastSteps(services, [row]));
    return;
  }
  while (await runStep(services, row));
}

/** Requests the steps that are due. Called by the sweep every minute, which also starts scheduled broadcasts. */
export async function enqueueDueBroadcasts(services: EmailServices): Promise<void> {
  const due = await services.platformDb.all(findDueBroadcasts({ now: services.clock.now() }));
  await enqueueBroadcastSteps(services, due);
}

async function runPart(services: EmailServices, row: BroadcastRow, lease: Lease, stopAt: number): Promise<Next> {
  const code = failureOf(row);
  if (code !== null) return afterEnd(await endFailed(services, row, lease, { code, stopAt }), 0);
  switch (row.state) {
    case "scheduled":
      return afterPart(services, row, lease, { result: await start(services, row, lease), stopAt });
    case "queued":
      return afterPart(services, row, lease, { result: await begin(services, row, lease), stopAt });
    case "preparing":
    case "paused":
      // A paused broadcast gets here only when its token has ended.
      return afterPart(services, row, lease, { result: await prepare(services, row, lease), stopAt });
    case "sending":
      return send(services, row, lease);
    case "cancelled": {
      if (hasEnded(row)) return afterEnd(await purgeRecipients(services, row, lease, stopAt), 0);
      const result = await endCancelled(services, row, lease, stopAt);
      return afterEnd(result, services.clock.now() >= stopAt ? 0 : MIN_WAIT_MS);
    }
    default:
      return afterEnd(await purgeRecipients(services, row, lease, stopAt), 0);
  }
}

/** Returns why a broadcast fails whose recipients are not removed yet, or that cannot be continued; null for others. */
function failureOf({ state, last_error_code, failed_steps, messages }: BroadcastRow): string | null {
  if (!FAILING_STATES.has(state)) return null;
  if (last_error_code !== "") return last_error_code;
  return failed_steps >= MAX_FAILED_STEPS && messages === 0 ? "step_failed" : null;
}

async function afterPart(
  services: EmailServices,
  row: BroadcastRow,
  lease: Lease,
  { result, stopAt }: { result: PartResult | { failed: string }; stopAt: number },
): Promise<Next> {
  if (result === "continue" || result === "lost") return AGAIN;
  if (result === "wait") {
    const untilTokenEnds = (row.bearer_expires_at ?? Number.POSITIVE_INFINITY) - services.clock.now();
    return { kind: "wait", waitMs: Math.min(growingWait(services, row), Math.max(untilTokenEnds, 0)) };
  }
  if ("retryMs" in result) return { kind: "released", waitMs: result.retryMs };
  return afterEnd(await endFailed(services, row, lease, { code: result.failed, stopAt }), 0);
}

async function send(services: EmailServices, row: BroadcastRow, lease: Lease): Promise<Next> {
  const made = await makeMessages(services, row, lease);
  switch (made.kind) {
    case "later":
      return { kind: "wait", waitMs: made.waitMs };
    case "idle":
      return { kind: "wait", waitMs: growingWait(services, row) };
    case "done":
      return afterEnd(await endSent(services, row, lease, made.counts), 0);
    default:
      return AGAIN;
  }
}

const afterEnd = (result: EndResult, waitMs: number): Next => {
  if (result === "ended") return { kind: "ended" };
  return result === "lost" ? AGAIN : { kind: "wait", waitMs };
};

/** Returns half of the time in ms since the broadcast last moved on, between 30 seconds and 10 minutes. */
const growingWait = ({ clock }: EmailServices, { updated_at }: BroadcastRow): number =>
  Math.min(Math.max((clock.now() - updated_at) / 2, MIN_WAIT_MS), MAX_WAIT_MS);
