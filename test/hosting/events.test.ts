import { expect, it } from "vitest";
import { hosting, startHosting } from "../support/hosting/hosting";
import { checkEvents } from "../support/sibling/events-suite";
import { freshCompany } from "../support/sibling/sibling";
import { insertRule } from "../support/webhooks/rows";

const type = "hosting.app.created";
const plannedType = "hosting.domain.verified";

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
    "hosting.action_rule.failing",
  ],
  // The service does not emit this event yet.
  notOffered: [plannedType],
});

it("lists a stored rule of hosting whose event type cannot be selected for new rules", async () => {
  const { call, token } = await startHosting();
  const companyId = freshCompany();
  const url = "https://hooks.example.com/x";
  await insertRule({
    company_id: companyId,
    name: "Deploy bot",
    event_type: plannedType,
    secret_enc: "x",
    url,
    host: "hooks.example.com",
  });
  const bearer = await token({ companyId, isOwner: true });
  const listed = await call(`/api/v1/actions/rules?event_type=${plannedType}`, { bearer });
  expect(await listed.json()).toMatchObject({ results: [{ event_type: plannedType }] });
});
