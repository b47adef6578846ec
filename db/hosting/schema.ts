import { auditTable } from "../kit/audit";
import { jobTables } from "../kit/jobs";
import { eventLogTable, webhookTables } from "../kit/webhooks";

// Column names equal the property names. Booleans are 0 and 1, JSON is text, and times are integer unix milliseconds.

/** Event types that are written each minute. The index of types omits them. */
export const frequentTypes = ["hosting.scheduled_job.succeeded"];

export const event_log = eventLogTable(frequentTypes);

export const { action_rules, action_deliveries, delivery_attempts, action_hosts, action_counters } = webhookTables();

export const audit_log = auditTable();

export const { scheduled_job_runs, scheduled_job_states, scheduled_job_counters } = jobTables();
