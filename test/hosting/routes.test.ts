import { hostingErrors } from "../../schemas/hosting/errors";
import { hosting } from "../support/hosting/hosting";
import { checkSiblingRoutes } from "../support/sibling/routes-suite";

await checkSiblingRoutes(hosting, hostingErrors, () => ({}));
