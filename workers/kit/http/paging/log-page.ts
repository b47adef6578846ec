import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { type ListPage, readListPage } from "./list-page";

/** Where a row of a log stands: its time (unix ms), then its id. */
export type LogPosition = { created_at: number; id: number };

/** A page of a log, newest first. */
export type LogPage = ListPage<LogPosition>;

const positionSchema = lazySchema(() =>
  z.tuple([z.int(), z.int()]).transform(([created_at, id]): LogPosition => ({ created_at, id })),
);

/** `page`, `page_size` and `cursor` of a query; 400 with the field. A cursor replaces the page. */
export const readLogPage = (query: Record<string, string>): LogPage => readListPage(query, positionSchema);
