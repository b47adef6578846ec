import type { Log } from "../kit/log";
import { createSiblingServices, type SiblingServices } from "../kit/sibling-services";
import type { StorageBindings } from "./bindings";
import { type StorageSettings, settingsOf } from "./settings";
import { outbox } from "./webhooks/outbox.store";

/** The dependencies of routes and jobs. They are built once per request, cron run or queue batch. */
export type StorageServices = SiblingServices<StorageSettings> & {
  /** the bytes of objects */
  objects: R2Bucket;
};

const kitServices = createSiblingServices<StorageBindings, StorageSettings>({
  service: "storage",
  settingsOf,
  outbox,
  failingType: "storage.action_rule.failing",
});

/** Returns the services of one invocation. */
export function services(
  env: StorageBindings,
  request: { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void },
): StorageServices {
  return { ...kitServices(env, request), objects: env.OBJECTS };
}
