import type { VariablesOf } from "../kit/settings/settings";
import type { SiblingBindings } from "../kit/sibling-services";
import type { settingsTable } from "./settings";

/** Bindings and variables of the Worker; variables are read by settings.ts only. */
export interface StorageBindings extends SiblingBindings, VariablesOf<typeof settingsTable> {
  /** the bytes of objects */
  OBJECTS: R2Bucket;
}
