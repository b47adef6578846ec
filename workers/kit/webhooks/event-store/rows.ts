export type { EventLog, EventRow } from "./event-log.store";
export type { ExactList, FilteredList, Range, UserRange, WalkEnd as Ended } from "./log-list.store";
