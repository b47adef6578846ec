import { costOf } from "../../kit/http/cost";
import { errorName } from "../../kit/log";
import { acknowledge, isFromQueue } from "../../kit/outbox/consumer";
import { consumeFirst } from "../../kit/webhooks/consumers/first-attempt.job";
import { consumeHelp, runHelper } from "../../kit/webhooks/consumers/help.job";
import { readDrainMessage } from "../../kit/webhooks/dispatch/messages";
import { runImport } from "../archives/import";
import { runCleanUp } from "../clean-up/clean-up";
import type { HostingServices } from "../services";
import { makeVariants } from "../serving/variants";
import { readStepMessage, type StepMessage } from "../step-message";

/** Runs a step by the id of its row and its company. */
type StepRunner = (services: HostingServices, id: string, companyId: number) => Promise<unknown>;

const runners: Readonly<Record<StepMessage["kind"], StepRunner>> = {
  extract: (services, id, companyId) => runImport(services, { id, company_id: companyId }),
  variants: makeVariants,
  clean_up: (services, _id, companyId) => runCleanUp(services, companyId),
};

/** Consumes a batch of messages from any queue of the service. */
export async function consume(services: HostingServices, batch: MessageBatch<unknown>): Promise<void> {
  if (isFromQueue(batch, "webhooks-hosting")) return consumeFirst(services.webhooks, batch);
  const steps = batch.messages.flatMap(({ body }) => readStepMessage(body) ?? []);
  if (steps.length === 0) return consumeHelp(services.webhooks, batch);
  const { log } = services;
  const calls = batch.messages.flatMap(({ body }) => readDrainMessage(body) ?? []);
  const work = async () => {
    await Promise.all(calls.map((call) => runHelper(services.webhooks, call)));
    for (const { kind, ids, company_id } of steps) {
      for (const id of ids) await runners[kind](services, id, company_id ?? 0);
    }
    log.info("queue batch", { queue: batch.queue, steps: steps.length, ...costOf(services) });
  };
  await acknowledge(batch, work, (error) => log.error("queue step failed", { error: errorName(error) }));
}
