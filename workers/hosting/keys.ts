import { oncePerIsolateAsync } from "../kit/settings";
import { importWebhookKeys } from "../kit/webhooks/settings";
import type { HostingBindings } from "./bindings";
import { settingsOf } from "./settings";

/** The keys that seal secrets and Authorization values of webhook rules, imported once per isolate. */
export const keysOf = oncePerIsolateAsync((env: HostingBindings) => importWebhookKeys(settingsOf(env).webhooks));
