import { type CompanyRow, enqueue, idMessageReader } from "../../../kit/outbox/queue-message";
import type { EmailServices } from "../../services";

/** A step of work on newsletters: mails to imported subscribers, or the removal of the subscribers of a deleted newsletter. */
export type ListStep = "confirmations" | "remove_subscribers";

const LIMITS = { idsPerMessage: 1, messagesPerCall: 100 };

/** Parses a message of `email-service` about newsletters, or returns null. The ids are ids of newsletters. */
export const readListMessage = idMessageReader(
  ["confirmations", "remove_subscribers"],
  /^[1-9]\d{0,14}$/,
  LIMITS.idsPerMessage,
);

/** Enqueues the next step for these newsletters. Never throws, because the sweep enqueues lost steps again. */
export async function enqueueListSteps(
  services: Pick<EmailServices, "log" | "requestId" | "steps">,
  kind: ListStep,
  lists: readonly { id: number; company_id: number }[],
  { delaySeconds = 0 }: { delaySeconds?: number } = {},
): Promise<void> {
  const queue = services.steps;
  if (queue === null) return;
  const rows = lists.map(({ id, company_id }): CompanyRow => ({ id: String(id), company_id }));
  await enqueue(services, queue, { kind, rows, ...LIMITS, delaySeconds, logFields: { newsletters: rows.length } });
}
