import { action_deliveries } from "../../db/kit/webhooks";
import type { OperationsReport } from "../../schemas/rpc";
import { insertRow, insertRule } from "./webhooks/rows";

type ListedBy = { method: string; path: string } | null;

/** An entry of `GET /api/v1/overview`. */
export type Entry = {
  code: string;
  count: number;
  is_capped: boolean;
  since: string | null;
  list: ListedBy;
  companies?: { company_id: number; count: number; list: ListedBy }[];
};

/** A response of `GET /api/v1/overview`. */
export type Overview = { company_id: number | null; entries: Entry[] };

/** Returns the counts of an overview by code, without those that are zero. */
export const countsOf = ({ entries }: Overview) =>
  Object.fromEntries(entries.flatMap(({ code, count }) => (count === 0 ? [] : [[code, count]])));

/** Returns the entry with a code. Throws if there is none. */
export function entryOf({ entries }: Overview, code: string): Entry {
  const entry = entries.find((candidate) => candidate.code === code);
  if (entry === undefined) throw new Error(`no entry ${code}`);
  return entry;
}

/** Stores a webhook subscription that has failed for two days. Returns its id. */
export const storeFailingRule = (company_id: number) =>
  insertRule({ company_id, failing_since: Date.now() - 172_800_000 });

/** Stores a webhook delivery that was given up. */
export function storeDeadDelivery(company_id: number, rule_id: number, created_at = Date.now()): Promise<unknown> {
  return insertRow(action_deliveries, {
    id: crypto.randomUUID(),
    kind: "webhook",
    company_id,
    rule_id,
    rule_name: "Hook",
    event_id: crypto.randomUUID(),
    event_type: "identity.user.created",
    host: "hooks.example.com",
    body: "{}",
    status: "dead",
    due_at: created_at,
    created_at,
    updated_at: created_at,
  });
}

/** The parts of `GET /api/v1/scheduled-jobs` that a report to the job `watch` contains. */
type Jobs = Omit<OperationsReport, "entries">;

/** Returns the report to the job `watch` that agrees with the responses of the staff API. */
export const reportOf = (
  { entries }: Overview,
  { jobs, scheduler_state, broker_reachable }: Jobs,
): OperationsReport => ({
  entries: entries.map(({ code, count, is_capped }) => ({ code, count, is_capped })),
  jobs: jobs.map(({ job, health }) => ({ job, health })),
  scheduler_state,
  broker_reachable,
});
