import { createQueueHandler } from "../../kit/outbox/consumer";
import { consumeFirst } from "../../kit/webhooks/dispatch/first-attempt.job";
import { consumeHelp } from "../../kit/webhooks/dispatch/help.job";
import { services } from "../services";

/** The consumer of `webhooks-hosting`, first attempts of webhooks, and of `hosting-service`, helpers of a retry run. */
export const runQueue = createQueueHandler("hosting", services, ({ webhooks }, batch) =>
  batch.queue === "webhooks-hosting" ? consumeFirst(webhooks, batch) : consumeHelp(webhooks, batch),
);
