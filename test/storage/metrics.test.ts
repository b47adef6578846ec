import { checkMetrics } from "../support/sibling/metrics-suite";
import { storage } from "../support/storage/storage";

await checkMetrics(storage, ["retry_webhooks", "purge_expired_data", "sweep_storage"]);
