import { createSiblingServices, type SiblingServices } from "../kit/sibling-services";
import type { HostingBindings } from "./bindings";
import { type HostingSettings, settingsOf } from "./settings";
import { outbox } from "./webhooks/outbox.store";

/** The services of one invocation. They are built once per request, cron event or queue batch. */
export type HostingServices = SiblingServices<HostingSettings>;

/** Builds the services of one invocation. */
export const services = createSiblingServices<HostingBindings, HostingSettings>({
  service: "hosting",
  settingsOf,
  outbox,
  failingType: "hosting.action_rule.failing",
});
