import type { VariablesOf } from "../kit/settings/settings";
import type { SiblingBindings } from "../kit/sibling-services";
import type { DrainMessage } from "../kit/webhooks/dispatch/messages";
import type { settingsTable } from "./settings";
import type { StepMessage } from "./step-message";

/** Bindings and variables of the Worker. Only settings.ts reads the variables. */
export interface HostingBindings extends SiblingBindings, VariablesOf<typeof settingsTable> {
  /** the files, manifests and uploaded archives of deployments */
  FILES: R2Bucket;
  /** queue whose messages start helpers of a webhook retry run, and request steps of imports, variants and clean-ups */
  SERVICE_QUEUE?: Queue<DrainMessage | StepMessage> | undefined;
}
