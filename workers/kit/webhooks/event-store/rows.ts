export type { EventLog, EventRow } from "./event-log.store";
export type { Ended, ExactList, FilteredList, Range, UserRange } from "./log-list.store";
