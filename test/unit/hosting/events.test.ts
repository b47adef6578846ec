import { describe, expect, it } from "vitest";
import { hostingEventFields, hostingEvents, mailedEvents } from "../../../schemas/hosting/events";
import { checkCatalog } from "../../support/events/catalog-suite";

describe("the catalog of hosting's events", () => {
  checkCatalog({ service: "hosting", events: hostingEvents, mailed: mailedEvents, fieldsOf: hostingEventFields });

  it("names the company in the data of each event that rules may name", () => {
    for (const { type, audience } of hostingEvents) {
      if (audience === "webhook") expect(hostingEventFields(type).map(({ name }) => name)).toContain("company_id");
    }
  });
});
