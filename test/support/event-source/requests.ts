/** `POST /event-source/emit`: events (uuids) of one company, stored in one batch; `email` is the acting person's. */
export type EmitRequest = {
  company_id: number;
  type: string;
  ids: string[];
  data?: Record<string, unknown>;
  email?: string;
};

/** One of the list of `POST /event-source/rules`, which answers the ids of the rules. */
export type RuleRequest = { company_id: number; type: string; url: string; secret: string };

/** `POST /event-source/sql`: answers the rows of one statement that Drizzle has built, as lists of their columns. */
export type SqlRequest = { database: "hosting" | "email" | "storage"; sql: string; values: unknown[] };

/** `POST /event-source/objects`: answers the keys of storage's bucket below a prefix. */
export type ObjectsRequest = { prefix: string };

/** `POST /event-source/tick`: plays one cron of hosting. */
export type TickRequest = { cron: string };

/** What a tick cost: milliseconds, and calls of the database. */
export type TickCost = { ms: number; calls: number };
