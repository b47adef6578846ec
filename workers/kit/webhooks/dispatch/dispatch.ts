import { CALLBACK_BASE } from "../../../../db/kit/webhooks";
import type { Db } from "../../db/db";
import { uuid } from "../../ids";
import { errorName } from "../../log";
import type { CallbackTarget, WebhooksContext } from "../context";
import { openBody, sealedAddresses } from "../events/sealed-body";
import type { FailingQuery } from "../failing/failing-rule";
import { sendPost } from "../posting/attempt";
import { emailPost } from "../posting/email-post";
import { resolverOf } from "../posting/target";
import { openTarget, type WebhookTarget, webhookPost } from "../posting/webhook-post";
import { type ClaimedRow, claimDueRows, claimFirstRows, renewLeases } from "./claim.store";
import { type LoopOptions, runLoop } from "./loop";
import type { LoopEnd } from "./loop-state";
import { MAX_CLAIMS, settleAttempt, settleDead, settleSecretUnavailable, settleWithoutAttempt } from "./settlement";
import { MAX_SETTLE_STATEMENTS, type Result, settleResults } from "./settlement.store";

export { type ClaimedRow, countDueRows } from "./claim.store";

/** The longest time that first attempts wait for limits. */
const FIRST_MS = 25_000;
/** Maximum number of rows in one claim of first attempts. */
const FIRST_CHUNK = 50;
/**
 * A first attempt leases its row for the timeout plus this margin, so that the rows of a dead isolate soon stop
 * counting as in flight. While the row waits for its slot, the lease is renewed when less than the timeout plus
 * `RENEW_BELOW_MS` remains.
 */
const FIRST_MARGIN_MS = 5000;
const RENEW_BELOW_MS = 2500;
/** Maximum number of statements in one invocation. */
const MAX_STATEMENTS = 900;
/** Statements reserved for storing the results of attempts that are running when the budget is used up. */
const RESERVE = 3 * MAX_SETTLE_STATEMENTS;

/** The counts, keyed by the count names of a `retry_webhooks` run. */
export type DeliveryCounts = Record<string, number>;

/** The result of the deliveries of one invocation. */
export type Delivered = { counts: DeliveryCounts; end: LoopEnd };

/** The context of attempts: a retry run, or first attempts. */
type Purpose = {
  trigger: "dispatch" | "automatic_retry";
  runId: number | null;
  /** returns the `X-Request-ID` for a post to the email service */
  requestIdOf: (row: ClaimedRow) => string;
  /** true for a helper, which adds its counts to the run that it helps */
  isHelper: boolean;
};

/**
 * Makes the first attempts of deliveries in one database. `requestIds` maps each delivery to the request that caused it.
 * `done` resolves after the last result is stored. It rejects with a DatabaseError when the database is unavailable. The
 * leases then expire, and a retry run makes the attempts. `quiet` resolves when none of the ids can be claimed for now.
 */
export function deliverFirst(
  context: WebhooksContext,
  db: Db,
  requestIds: ReadonlyMap<string, string>,
): { done: Promise<Delivered>; quiet: Promise<void> } {
  const { clock, settings } = context;
  const leaseMs = settings.timeoutMs + FIRST_MARGIN_MS;
  const ids = [...requestIds.keys()];
  let signalQuiet = () => {};
  const quiet = new Promise<void>((resolve) => {
    signalQuiet = resolve;
  });
  const purpose: Purpose = {
    trigger: "dispatch",
    runId: null,
    requestIdOf: (row) => requestIds.get(row.id) ?? context.requestId,
    isHelper: false,
  };
  const done = deliver(context, db, purpose, {
    concurrency: settings.workers,
    chunk: FIRST_CHUNK,
    deadline: clock.now() + FIRST_MS,
    claim: async () => {
      const input = { ...claimOf(context), leaseMs, chunk: FIRST_CHUNK, ids };
      const { rows, remaining } = await claimFirstRows(db, input);
      return { rows, isMore: remaining > 0, statements: 3 };
    },
    renew: (waiting) => {
      const now = clock.now();
      const expiring = waiting.filter((row) => row.locked_until - now < settings.timeoutMs + RENEW_BELOW_MS);
      return expiring.length === 0 ? null : renewLeases(db, expiring, { now, leaseMs });
    },
    whenLimited: "wait",
    onQuiet: signalQuiet,
  });
  return { done, quiet };
}

/** The options of a retry run or of one of its helpers; times are unix ms. */
export type DueOptions = {
  runId: number | null;
  fence: number | null;
  runStart: number;
  deadline: number;
  batchSize: number;
  concurrency: number;
  isHelper: boolean;
  /** statements that run with the first claim */
  failingQuery?: FailingQuery;
  /** called with the number of rows of each claim */
  onClaim?: (rows: number) => void;
  /** called with the counts so far each time results were stored */
  onStored?: (counts: DeliveryCounts) => void;
};

/**
 * Attempts the deliveries that are due at `runStart`. Ends when none are left, or when the deadline or the budget of
 * statements is reached.
 */
export function deliverDue(context: WebhooksContext, options: DueOptions): Promise<Delivered> {
  const { runId, fence, runStart, deadline, batchSize, concurrency, isHelper, onClaim, onStored } = options;
  const requestId = runId === null ? context.requestId : `sjr-${runId}`;
  const purpose: Purpose = { trigger: "automatic_retry", runId, requestIdOf: () => requestId, isHelper };
  let { failingQuery } = options;
  return deliver(context, context.platformDb, purpose, {
    concurrency,
    chunk: batchSize,
    deadline,
    claim: async () => {
      const input = { ...claimOf(context), chunk: batchSize, runStart, fence };
      const rows = await claimDueRows(context.platformDb, input, failingQuery);
      failingQuery = undefined;
      onClaim?.(rows.length);
      return { rows, isMore: true, statements: 2 };
    },
    whenLimited: "end",
    ...(onStored ? { onStored } : {}),
  });
}

type Source = Pick<
  LoopOptions,
  "concurrency" | "chunk" | "deadline" | "claim" | "renew" | "whenLimited" | "onQuiet"
> & {
  onStored?: (counts: DeliveryCounts) => void;
};

async function deliver(
  context: WebhooksContext,
  db: Db,
  purpose: Purpose,
  { onStored, ...loopOptions }: Source,
): Promise<Delivered> {
  const { clock, log, settings } = context;
  const { runId, isHelper } = purpose;
  const counts: DeliveryCounts = {};
  const send = createSender(context, purpose);
  const end = await runLoop({
    ...loopOptions,
    budget: MAX_STATEMENTS - RESERVE,
    now: () => clock.now(),
    attempt: async (row) => {
      try {
        return await send(row);
      } catch (error) {
        // The error is in our own code. The lease expires by itself; after MAX_CLAIMS such claims the row is given up.
        log.error("attempt failed", { delivery_id: row.id, company_id: row.company_id, error: errorName(error) });
        return null;
      }
    },
    release: (row) => settleWithoutAttempt(row, clock.now()),
    store: async (results) => {
      const options = { maxAttempts: settings.maxAttempts, helpedRunId: isHelper ? runId : null };
      const { failing, statements } = await settleResults(db, results, options);
      for (const name of results.flatMap((result) => result.counts)) counts[name] = (counts[name] ?? 0) + 1;
      for (const { id, company_id, health_reason } of failing) {
        log.warn("webhook rule is failing", { rule_id: id, company_id, reason: health_reason });
      }
      onStored?.(counts);
      return statements;
    },
  });
  return { counts, end };
}

/** Returns the function that attempts one claimed row and returns its result. */
function createSender(context: WebhooksContext, purpose: Purpose): (row: ClaimedRow) => Promise<Result> {
  const { clock, settings, log } = context;
  const { trigger, runId, requestIdOf } = purpose;
  const { timeoutMs, maxAttempts } = settings;
  const resolve = resolverOf(context);
  const callbackOf = createCallbacks(context);
  const wireWith = (fetchImplementation: typeof fetch) => ({ fetch: fetchImplementation, resolve, clock, timeoutMs });
  const facts = () => ({ trigger, runId, maxAttempts, now: clock.now() });

  const sendEmail = async (row: ClaimedRow): Promise<Result> => {
    const email = emailPost(context, row.body, requestIdOf(row));
    if (email === null) return settleDead(row, "email_disabled", clock.now());
    return settleAttempt(row, await sendPost(email.post, wireWith(email.fetch)), facts());
  };

  const sendWebhook = async (row: ClaimedRow, target: WebhookTarget): Promise<Result> => {
    const { event_id: eventId, event_type: eventType } = row;
    const body = await openBody(context, row);
    if (body === null) return settleSecretUnavailable(row, clock.now());
    const message = { service: context.service, eventId, eventType, body, attempt: row.attempt_count + 1 };
    const signing = { now: clock.now(), requestId: runId === null ? null : requestIdOf(row) };
    const post = await webhookPost(target, message, signing);
    const hidden = [...post.hidden, ...sealedAddresses(context, body)];
    return settleAttempt(row, await sendPost({ ...post, hidden }, wireWith(context.fetch)), facts());
  };

  return async (row) => {
    const now = clock.now();
    if (row.claim_count > MAX_CLAIMS) {
      log.error("delivery abandoned", { delivery_id: row.id, company_id: row.company_id });
      return settleDead(row, "abandoned", now);
    }
    // An attempt must end within its lease. Otherwise another consumer could send the row at the same time.
    if (row.locked_until - now <= timeoutMs) return settleWithoutAttempt(row, now);
    if (row.kind === "email") return sendEmail(row);
    if (row.kind === "callback") {
      const target = await callbackOf(row);
      if (target === undefined) return settleDead(row, "rule_deleted", now);
      if (target !== null) return sendWebhook(row, target);
      log.error("secret of a callback cannot be opened", { rule_id: row.rule_id, company_id: row.company_id });
      return settleSecretUnavailable(row, now);
    }
    if (!row.has_rule) return settleDead(row, "rule_deleted", now);
    const opening = { service: context.service, keys: await context.keys(), now, allowPrivate: settings.allowPrivate };
    const target = await openTarget(row, opening);
    if (target !== null) return sendWebhook(row, target);
    log.error("secret of a webhook rule cannot be opened", { rule_id: row.rule_id, company_id: row.company_id });
    return settleSecretUnavailable(row, now);
  };
}

/**
 * Returns a function that finds the target of a callback. The target is null when the secret cannot be opened, and
 * undefined when the client no longer has a callback. Targets are read once per service client and claim. Callbacks
 * never allow private addresses.
 */
function createCallbacks({
  callbacks,
}: WebhooksContext): (row: ClaimedRow) => Promise<WebhookTarget | null | undefined> {
  const pending = new Map<string, Promise<Map<number, CallbackTarget | null>>>();
  return async (row) => {
    const client = -row.rule_id - CALLBACK_BASE;
    const key = `${row.lease_token} ${client}`;
    const targets = pending.get(key) ?? callbacks?.([client]) ?? Promise.resolve(new Map());
    pending.set(key, targets);
    const target = (await targets).get(client);
    return target && { url: target.url, secrets: [target.secret], authorization: null, allowPrivate: false };
  };
}

function claimOf({ clock, settings }: WebhooksContext) {
  const { leaseMs, perRule, perHost } = settings;
  return { now: clock.now(), token: uuid(), leaseMs, perRule, perHost };
}
