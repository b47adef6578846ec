import type { Queue as QueueInfo } from "cloudflare/resources/queues/queues";
import type { Worker } from "../../support/services.ts";
import { type Consumer, readQueue } from "../cloudflare/existing.ts";
import type { WorkerConfig } from "../config.ts";
import type { Run, Step } from "../run.ts";
import { deployOrder, scriptPath } from "./workers.ts";

type ConsumerConfig = NonNullable<NonNullable<WorkerConfig["queues"]>["consumers"]>[number];

/** Returns the settings of a consumer as the API takes them. */
export function consumerSettings(config: ConsumerConfig): Record<string, number> {
  const { max_batch_size, max_retries, max_batch_timeout, max_concurrency, retry_delay } = config;
  const settings = {
    batch_size: max_batch_size,
    max_retries,
    max_wait_time_ms: max_batch_timeout === undefined ? undefined : max_batch_timeout * 1000,
    max_concurrency,
    retry_delay,
  };
  const given = Object.entries(settings).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return Object.fromEntries(given);
}

/** Returns whether a consumer has the settings and the dead letter queue of its configuration. */
export function isCurrent(consumer: Consumer, config: ConsumerConfig): boolean {
  const settings = Object.entries(consumerSettings(config));
  return (
    consumer.deadLetterQueue === config.dead_letter_queue &&
    settings.every(([name, value]) => consumer.settings[name] === value)
  );
}

async function setConsumers(run: Run, worker: Worker): Promise<void> {
  const script_name = run.configs[worker].name;
  for (const config of run.configs[worker].queues?.consumers ?? []) {
    const queue = run.existing.queues.get(config.queue);
    if (queue === undefined) throw new Error(`The queue ${config.queue} was not created.`);
    const queuePath = `/accounts/${run.record.account}/queues/${queue.id}`;
    const path = `${queuePath}/consumers`;
    const { dead_letter_queue } = config;
    const json = { type: "worker", script_name, dead_letter_queue, settings: consumerSettings(config) };
    const own = queue.consumers.find(({ script }) => script === script_name);
    if (own === undefined) {
      try {
        await run.api.call("POST", path, { json });
      } catch (error) {
        // The response of an earlier attempt may have been lost.
        const { consumers } = readQueue(await run.api.call<QueueInfo>("GET", queuePath));
        if (!consumers.some((consumer) => consumer.script === script_name && isCurrent(consumer, config))) throw error;
      }
    } else if (!isCurrent(own, config)) await run.api.call("PUT", `${path}/${own.id}`, { json });
  }
}

/** Sets the cron triggers and the consumers of queues. */
export const setTriggers: Step = {
  title: "cron triggers and queue consumers",
  run: async (run) => {
    for (const worker of deployOrder) {
      const crons = run.configs[worker].triggers?.crons ?? [];
      const current = run.existing.workers.get(worker)?.crons ?? [];
      if (crons.toSorted().join() !== current.toSorted().join()) {
        await run.api.call("PUT", `${scriptPath(run, worker)}/schedules`, { json: crons.map((cron) => ({ cron })) });
      }
      await setConsumers(run, worker);
    }
  },
};
