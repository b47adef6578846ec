import type { Log } from "../kit/log";
import { createSiblingServices, type SiblingServices } from "../kit/sibling-services";
import type { HostingBindings } from "./bindings";
import { type HostingSettings, settingsOf } from "./settings";
import type { StepMessage } from "./step-message";
import { outbox } from "./webhooks/outbox.store";

/** The services of one invocation. They are built once per request, cron event or queue batch. */
export type HostingServices = SiblingServices<HostingSettings> & {
  /** the files, manifests and uploaded archives of deployments */
  files: R2Bucket;
  /** the queue of steps of imports, variants and clean-ups, or null without a binding */
  steps: Pick<Queue<StepMessage>, "sendBatch"> | null;
};

const kitServices = createSiblingServices<HostingBindings, HostingSettings>({
  service: "hosting",
  settingsOf,
  outbox,
  failingType: "hosting.action_rule.failing",
});

/** Builds the services of one invocation. */
export function services(
  env: HostingBindings,
  request: { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void },
): HostingServices {
  return { ...kitServices(env, request), files: env.FILES, steps: env.SERVICE_QUEUE ?? null };
}
