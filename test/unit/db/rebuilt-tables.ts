import type { StoredRow } from "../../support/db/migrated/database.ts";
import type { Change } from "./survival.ts";

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");
const companyOf = ({ company_id }: StoredRow) => Number(company_id ?? 0);

/** Returns the index of an event among the events of the same company and millisecond. */
const sequenceOf = (row: StoredRow, rows: StoredRow[]) =>
  rows.filter(
    (other) =>
      companyOf(other) === companyOf(row) && other.created_at === row.created_at && Number(other.id) < Number(row.id),
  ).length;

/** Adds the key of an event: its company (0 for the platform) and an id that consists of its time and index. */
function addKey(row: StoredRow, rows: StoredRow[]): StoredRow {
  const time = hex(Number(row.created_at), 12);
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7${hex(sequenceOf(row, rows), 3)}-8000-${hex(Number(row.id), 12)}`;
  return { ...row, company_id: companyOf(row), id };
}

/** Returns the integer id of an event in the API: milliseconds since 2020, then 12 bits for the index. */
const numberOf = (row: StoredRow, rows: StoredRow[]) =>
  (Number(row.created_at) - Date.UTC(2020, 0, 1)) * 4096 + sequenceOf(row, rows);

/** Converts event rows to the new format. */
export const keyedRows = (rows: StoredRow[]): StoredRow[] => rows.map((row) => addKey(row, rows));

/** The event log of each service, and the job runs that refer to its events. */
export const keyedEvents: Record<string, Change> = {
  event_log: { table: "event_log", rows: keyedRows },
  scheduled_job_runs: {
    table: "scheduled_job_runs",
    rows: (before, { event_log = [] }) =>
      before.map((run) => {
        const event = event_log.find(({ id }) => id === run.event_log_id);
        return event === undefined ? run : { ...run, event_log_id: numberOf(event, event_log) };
      }),
  },
};

/** Returns the new id of a request, which begins with the time, as message ids do. */
const timedId = (id: unknown, createdAt: unknown) =>
  hex(Number(createdAt), 12) + String(id).replaceAll("-", "").slice(12);

/**
 * The rebuilt messages contain their events, have next_attempt_at only until their final status, and refer to the new
 * request ids.
 */
export const messagesWithEvents: Record<string, Change> = {
  messages: {
    table: "messages",
    rows: (before, { message_events = [] }) =>
      before.map((row) => {
        const events = message_events
          .filter(({ message_id }) => message_id === row.id)
          .sort((a, b) => Number(a.at) - Number(b.at) || Number(a.id) - Number(b.id))
          .map(({ type, at }) => ({ type, at }));
        return {
          ...row,
          next_attempt_at: ["queued", "sending", "retrying"].includes(String(row.status))
            ? (row.next_attempt_at ?? null)
            : null,
          send_request_id: row.send_request_id ? timedId(row.send_request_id, row.accepted_at) : null,
          events: JSON.stringify(events),
        };
      }),
  },
  // The rows of messages contain these events.
  message_events: { table: "messages", rows: () => [] },
  send_requests: {
    table: "send_requests",
    rows: (before) => before.map((row) => ({ ...row, id: timedId(row.id, row.created_at) })),
  },
};
