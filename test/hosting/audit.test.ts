import { hosting } from "../support/hosting/hosting";
import { hostingFacts, unlimited } from "../support/hosting/operations";
import { checkSiblingAudit } from "../support/sibling/routes-suite";

await checkSiblingAudit(hosting, hostingFacts, () => ({}), unlimited);
