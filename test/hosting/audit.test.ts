import { hosting } from "../support/hosting/hosting";
import { checkSiblingAudit } from "../support/sibling/routes-suite";

await checkSiblingAudit(hosting, () => ({}));
