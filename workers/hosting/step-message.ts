import { type CompanyRow, enqueue, type IdMessage, idMessageReader } from "../kit/outbox/queue-message";
import type { HostingServices } from "./services";

/**
 * The kinds of steps: `extract` imports an archive and `variants` compresses the files of a live deployment, both by the id of the
 * deployment; `clean_up` removes unused files, by the id of the company.
 */
const KINDS = ["extract", "variants", "clean_up"] as const;

/** Maximum number of ids per queue message, and of queue messages per call. Each step gets an invocation of its own. */
const LIMITS = { idsPerMessage: 1, messagesPerCall: 100 };

/** A message of the queue `hosting-service` that requests the next step of some work. */
export type StepMessage = IdMessage<(typeof KINDS)[number]>;

/** Parses a message of the queue `hosting-service` that requests a step, or returns null. */
export const readStepMessage = idMessageReader(
  KINDS,
  /^(?:[1-9]\d{0,15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
  LIMITS.idsPerMessage,
);

/**
 * Requests steps of one kind, after a delay in seconds. Never throws, because rows store which steps are due: the minute sweep
 * requests lost imports again, each purge run lost clean-ups.
 */
export async function enqueueSteps(
  services: Pick<HostingServices, "steps" | "log" | "requestId">,
  kind: StepMessage["kind"],
  rows: readonly CompanyRow[],
  delaySeconds = 0,
): Promise<void> {
  if (services.steps === null || rows.length === 0) return;
  const logFields = { kind, steps: rows.length };
  await enqueue(services, services.steps, { kind, rows, ...LIMITS, delaySeconds, logFields });
}
