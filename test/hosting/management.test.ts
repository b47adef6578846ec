import { hosting } from "../support/hosting/hosting";
import { checkManagement } from "../support/sibling/management-suite";

await checkManagement(hosting);
