export type { EventLog, EventRow } from "./event-log.store";
export type { ExactList, FilteredList, Range, ScanEnd as Ended, UserRange } from "./log-list.store";
