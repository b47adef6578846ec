import { hosting } from "../support/hosting/hosting";
import { checkEvents } from "../support/sibling/events-suite";

const type = "hosting.app.created";

await checkEvents(hosting, {
  sample: { type, data: { app_id: crypto.randomUUID(), name: "field-notes", display_name: "Field Notes" } },
  offered: [
    type,
    "hosting.app.deleted",
    "hosting.deployment.created",
    "hosting.deployment.succeeded",
    "hosting.deployment.failed",
    "hosting.deployment.rolled_back",
    "hosting.access.changed",
    "hosting.domain.verified",
    "hosting.action_rule.failing",
  ],
  notOffered: [],
});
