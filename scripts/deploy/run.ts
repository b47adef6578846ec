import type { Worker } from "../support/services.ts";
import type { Cloudflare } from "./cloudflare/client.ts";
import type { Existing } from "./cloudflare/existing.ts";
import type { WorkerConfigs } from "./config.ts";
import type { DeploymentRecord } from "./record.ts";
import type { Release } from "./release.ts";

/** What the steps of one run share. Steps add to `existing` and `record` what they create. */
export type Run = {
  /** identifies the run in the messages of Cloudflare's deployments */
  id: string;
  api: Cloudflare;
  release: Release;
  record: DeploymentRecord;
  configs: WorkerConfigs;
  existing: Existing;
  /** generated and given secrets that this run knows, by Worker */
  secrets: Partial<Record<Worker, Record<string, string>>>;
  /** the operator key of identity, if this run made it or the copy of the secrets has it */
  operatorKey: string | undefined;
  /** stores the record, so that a run that is cut is continued by the next one */
  save: () => void;
  say: (line: string) => void;
  wait: (ms: number) => Promise<void>;
  /** returns the address at which to reach a public URL */
  publicUrl: (url: string) => string;
};

/** A step of a run. Repeating a step changes nothing. */
export type Step = { title: string; run: (run: Run) => Promise<void> };

/** A step failed. The message says what runs, what does not, and how to continue. */
export class StepError extends Error {
  override readonly name = "StepError";
}
