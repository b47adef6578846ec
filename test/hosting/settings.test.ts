import { hosting } from "../support/hosting/hosting";
import { checkSettings } from "../support/sibling/settings-suite";

await checkSettings(hosting);
