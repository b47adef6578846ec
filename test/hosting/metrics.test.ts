import { hosting } from "../support/hosting/hosting";
import { checkMetrics } from "../support/sibling/metrics-suite";

await checkMetrics(hosting, ["retry_webhooks", "purge_expired_data"]);
