import { storageEventFields, storageEvents } from "../../schemas/storage/events";
import { offeredTypes } from "../../workers/kit/webhooks/events/catalog";
import { checkEvents } from "../support/sibling/events-suite";
import { storage } from "../support/storage/storage";

const offered = offeredTypes({ events: storageEvents, fieldsOf: storageEventFields });

await checkEvents(storage, {
  sample: {
    type: "storage.bucket.created",
    data: { bucket_id: crypto.randomUUID(), bucket_name: "company", bucket_kind: "company" },
  },
  offered,
  notOffered: storageEvents.flatMap(({ type }) => (offered.includes(type) ? [] : [type])),
});
