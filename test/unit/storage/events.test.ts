import { describe } from "vitest";
import { mailedEvents, storageEventFields, storageEvents } from "../../../schemas/storage/events";
import { checkCatalog } from "../../support/events/catalog-suite";

describe("catalog of storage events", () => {
  checkCatalog({ service: "storage", events: storageEvents, mailed: mailedEvents, fieldsOf: storageEventFields });
});
