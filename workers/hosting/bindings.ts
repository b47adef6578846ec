import type { VariablesOf } from "../kit/settings/settings";
import type { SiblingBindings } from "../kit/sibling-services";
import type { settingsTable } from "./settings";

/** Bindings and variables of the Worker. Only settings.ts reads the variables. */
export interface HostingBindings extends SiblingBindings, VariablesOf<typeof settingsTable> {
  /** the files, manifests and uploaded archives of deployments */
  FILES: R2Bucket;
}
