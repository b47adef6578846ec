import { and, asc, eq, inArray, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { action_deliveries as d, delivery_attempts as t } from "../../../../db/kit/webhooks";
import { integer, nullable } from "../../db/kind";
import { queryBuilder, selectRows } from "../../db/query";
import { statement } from "../../db/statement";

const run = { run: nullable(integer), limit: integer };

const isOfRun = (runId: SQL) => sql`${isNotNull(t.scheduled_job_run_id)} and ${eq(t.scheduled_job_run_id, runId)}`;

/** Statement: the attempts of a run to deliver webhooks and callbacks, of all companies, oldest first. */
export const listAttemptsOfRun = statement(run, (p) =>
  selectRows(
    {
      id: t.id,
      delivery_id: d.id,
      company_id: d.company_id,
      event_type: d.event_type,
      status: t.status,
      http_status: t.http_status,
      error_code: t.error_code,
      attempt_number: t.attempt_number,
      duration_ms: t.duration_ms,
      trigger: t.trigger,
      created_at: t.created_at,
    },
    (
      columns,
    ) => sql`select ${columns} from ${t} cross join ${d} on ${d.seq} = ${t.delivery_seq} and ${ne(d.kind, "email")}
      where ${isOfRun(p.run)} order by ${t.id} limit ${p.limit}`,
  ),
);

/** Statement: the posts to the email service that a run attempted, oldest first. */
export const listPostsOfRun = statement(run, (p) =>
  queryBuilder
    .select({
      id: d.id,
      company_id: d.company_id,
      event_type: d.event_type,
      status: d.status,
      attempt_count: d.attempt_count,
      delivered_at: d.delivered_at,
    })
    .from(d)
    .where(and(eq(d.kind, "email"), inArray(d.seq, sql`(select ${t.delivery_seq} from ${t} where ${isOfRun(p.run)})`)))
    .orderBy(asc(d.seq))
    .limit(p.limit),
);
