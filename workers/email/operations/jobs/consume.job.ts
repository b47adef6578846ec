import { LANES, type Lane } from "../../../../schemas/email/delivery/lanes";
import { costOf } from "../../../kit/http/cost";
import { errorName } from "../../../kit/log";
import { acknowledge, isFromQueue, readMessages } from "../../../kit/outbox/consumer";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import { consumeFirst } from "../../../kit/webhooks/consumers/first-attempt.job";
import { consumeHelp, runHelper } from "../../../kit/webhooks/consumers/help.job";
import { readDrainMessage } from "../../../kit/webhooks/dispatch/messages";
import { removeNextSubscribers, sendNextConfirmations } from "../../audience/newsletters/confirmation-steps";
import { readListMessage } from "../../audience/newsletters/list-steps";
import { runStep } from "../../audience/recipients/step";
import { readStepMessage } from "../../audience/recipients/step-message";
import { deliverNow } from "../../delivery/attempts/delivery";
import { consumeSendingEvents } from "../../delivery/provider-events/cloudflare-events";
import { readLaneMessage } from "../../delivery/queue/lane-message";
import type { EmailServices } from "../../services";
import { eraseNext } from "../privacy/erasure";

/** Consumes a batch of messages from any queue of the service. */
export async function consume(services: EmailServices, batch: MessageBatch<unknown>): Promise<void> {
  if (isFromQueue(batch, "webhooks-email")) return consumeFirst(services.webhooks, batch);
  if (isFromQueue(batch, "email-service")) return consumeService(services, batch);
  if (isFromQueue(batch, "email-erasures")) return consumeLane(services, batch, null);
  if (isFromQueue(batch, "email-events")) return consumeSendingEvents(services, batch);
  const lane = LANES.find((name) => isFromQueue(batch, `email-${name}`));
  if (lane !== undefined) return consumeLane(services, batch, lane);
  services.log.error("unknown queue", { queue: batch.queue });
  batch.ackAll();
}

/** Consumes a batch of `email-service`: steps of broadcasts and newsletters, and messages that let several consumers share a retry run. */
async function consumeService(services: EmailServices, batch: MessageBatch<unknown>): Promise<void> {
  const steps = batch.messages.flatMap(({ body }) => readStepMessage(body) ?? []);
  const listSteps = batch.messages.flatMap(({ body }) => readListMessage(body) ?? []);
  if (steps.length + listSteps.length === 0) return consumeHelp(services.webhooks, batch);
  const { log } = services;
  const calls = batch.messages.flatMap(({ body }) => readDrainMessage(body) ?? []);
  const work = async () => {
    await Promise.all(calls.map((call) => runHelper(services.webhooks, call)));
    for (const { ids, company_id = null } of steps) {
      for (const id of ids) await runStep(services, { id: Number(id), company_id: company_id ?? 0 });
    }
    for (const { kind, ids, company_id = null } of listSteps) {
      const run = kind === "confirmations" ? sendNextConfirmations : removeNextSubscribers;
      for (const id of ids) await run(services, company_id, Number(id));
    }
    log.info("queue batch", { queue: batch.queue, steps: steps.length + listSteps.length, ...costOf(services) });
  };
  await acknowledge(batch, work, (error) => log.error("queue step failed", { error: errorName(error) }));
}

/**
 * Consumes a batch from a lane queue, or from the queue of erasures when `lane` is null. Acknowledges the queue messages after
 * all results are stored. The previous release enqueued erasures in `email-bulk`, so every queue accepts them.
 */
async function consumeLane(services: EmailServices, batch: MessageBatch<unknown>, lane: Lane | null): Promise<void> {
  const { log } = services;
  const queueMessages = readMessages(batch, readLaneMessage, log, "malformed queue message");
  const rowsOf = (requestedKind: "send" | "erase"): CompanyRow[] =>
    queueMessages.flatMap(({ kind, ids, company_id = null }) =>
      kind === requestedKind ? ids.map((id) => ({ id, company_id })) : [],
    );
  const messages = rowsOf("send");
  const erasures = rowsOf("erase");
  const logFields = { queue: batch.queue, ids: messages.length };
  const work = async () => {
    if (messages.length > 0 && lane !== null) await deliverNow(services, messages, lane);
    if (erasures.length > 0) await eraseNext(services, erasures);
    log.info("queue batch", { ...logFields, ...costOf(services) });
  };
  await acknowledge(batch, work, (error) => log.error("queue batch failed", { ...logFields, error: errorName(error) }));
}
