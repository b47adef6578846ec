import { and, asc, eq, inArray, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { delivery_attempts as attempts, action_deliveries as deliveries } from "../../../../db/kit/webhooks";
import { integer, nullable } from "../../db/kind";
import { queryBuilder, selectRows } from "../../db/query";
import { statement } from "../../db/statement";

const run = { run: nullable(integer), limit: integer };

const isOfRun = (runId: SQL) =>
  sql`${isNotNull(attempts.scheduled_job_run_id)} and ${eq(attempts.scheduled_job_run_id, runId)}`;

/** Statement: the attempts of a run to deliver webhooks and callbacks, of all companies, oldest first. */
export const listAttemptsOfRun = statement(run, (p) =>
  selectRows(
    {
      id: attempts.id,
      delivery_id: deliveries.id,
      company_id: deliveries.company_id,
      event_type: deliveries.event_type,
      status: attempts.status,
      http_status: attempts.http_status,
      error_code: attempts.error_code,
      attempt_number: attempts.attempt_number,
      duration_ms: attempts.duration_ms,
      trigger: attempts.trigger,
      created_at: attempts.created_at,
    },
    (columns) => sql`select ${columns} from ${attempts}
      cross join ${deliveries} on ${deliveries.seq} = ${attempts.delivery_seq} and ${ne(deliveries.kind, "email")}
      where ${isOfRun(p.run)} order by ${attempts.id} limit ${p.limit}`,
  ),
);

/** Statement: the posts to the email service that a run attempted, oldest first. */
export const listPostsOfRun = statement(run, (p) =>
  queryBuilder
    .select({
      id: deliveries.id,
      company_id: deliveries.company_id,
      event_type: deliveries.event_type,
      status: deliveries.status,
      attempt_count: deliveries.attempt_count,
      delivered_at: deliveries.delivered_at,
    })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.kind, "email"),
        inArray(deliveries.seq, sql`(select ${attempts.delivery_seq} from ${attempts} where ${isOfRun(p.run)})`),
      ),
    )
    .orderBy(asc(deliveries.seq))
    .limit(p.limit),
);
