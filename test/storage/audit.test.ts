import { checkSiblingAudit } from "../support/sibling/routes-suite";
import { storageFacts } from "../support/storage/operations";
import { storage } from "../support/storage/storage";

await checkSiblingAudit(storage, storageFacts, (call, bearer, company) => ({
  "delete /storage/v1/quota/company/{company_id}/user/{user_id}": {
    before: () =>
      call(`/storage/v1/quota/company/${company}/user/7`, { method: "PUT", bearer, json: { max_bytes: 1 } }),
  },
}));
