import { describe, expect, it } from "vitest";
import { hostingEventFields, hostingEvents, mailedEvents } from "../../../schemas/hosting/events";
import { checkCatalog } from "../../support/events/catalog-suite";

describe("catalog of hosting's events", () => {
  checkCatalog({ service: "hosting", events: hostingEvents, mailed: mailedEvents, fieldsOf: hostingEventFields });

  it("includes company_id in the data of every event that webhooks can subscribe to", () => {
    for (const { type, audience } of hostingEvents) {
      if (audience === "webhook") expect(hostingEventFields(type).map(({ name }) => name)).toContain("company_id");
    }
  });
});
