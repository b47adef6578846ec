/**
 * Body of `POST /event-source/emit`, which stores events of one company in one batch. `ids` are their UUIDs, and
 * `email` is the actor's address.
 */
export type EmitRequest = {
  company_id: number;
  type: string;
  ids: string[];
  data?: Record<string, unknown>;
  email?: string;
};

/** An entry of `POST /event-source/rules`, which returns the ids of the created webhook subscriptions. */
export type RuleRequest = { company_id: number; type: string; url: string; secret: string };

/** Body of `POST /event-source/sql`: returns the rows of a statement built by Drizzle, as arrays of columns. */
export type SqlRequest = { database: "hosting" | "email" | "storage"; sql: string; values: unknown[] };

/** Body of `POST /event-source/objects`: returns the keys of a service's bucket with a prefix. */
export type ObjectsRequest = { bucket: "storage" | "hosting"; prefix: string };

/** Body of `POST /event-source/object`: returns the text of an object of hosting's bucket, or null. */
export type ObjectRequest = { key: string };

/** Body of `POST /event-source/tick`: runs one cron of hosting. */
export type TickRequest = { cron: string };

/** The cost of a cron run: milliseconds and database calls. */
export type TickCost = { ms: number; calls: number };
