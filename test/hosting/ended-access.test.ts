import { startHosting } from "../support/hosting/hosting";
import { checkEndedAccess } from "../support/sibling/ended-access-suite";

checkEndedAccess(startHosting, { byServiceKey: [] });
