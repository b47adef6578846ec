import { eq, gt, type SQL, sql } from "drizzle-orm";
import type { AlertNoticeRow, AlertRow } from "../../../../db/email/rows";
import { alert_notices, alerts } from "../../../../db/email/schema";
import { holdsFence } from "../../../../db/kit/jobs";
import { integer, json, nullable } from "../../../kit/db/kind";
import { allColumns, columnName, insertSelect, isInList, jsonEach, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The name of the job, whose fence the statements check. */
export const JOB = "watch";

const fence = nullable(integer);
const excluded = (column: Parameters<typeof columnName>[0]) => sql`excluded.${columnName(column)}`;

/** Statement: all stored alerts. */
export const listAlerts = statement({}, () =>
  queryBuilder.select(allColumns(alerts)).from(alerts).where(gt(alerts.id, "")).orderBy(alerts.id),
);

/** Statement: insert alerts, or update their counts and times. */
export const saveAlerts = statement({ rows: json<readonly AlertRow[]>(), fence }, (p) => {
  const { from, item } = jsonEach(p.rows);
  const { count, fired_at, cleared_at } = alerts;
  const changed = [count, fired_at, cleared_at].map((column) => sql`${columnName(column)} = ${excluded(column)}`);
  const { id, service, code, job, started_at } = item;
  const values = { id, service, code, job, started_at, count: item.count, fired_at: item.fired_at };
  return sql`${insertSelect(alerts, { ...values, cleared_at: item.cleared_at }, sql`from ${from} where ${holdsFence(JOB, p.fence)}`)}
    on conflict (${columnName(alerts.id)}) do update set ${sql.join(changed, sql`, `)}`;
});

/** Statement: delete alerts. */
export const deleteAlerts = statement(
  { ids: json<readonly string[]>(), fence },
  (p) => sql`delete from ${alerts} where ${isInList(alerts.id, p.ids)} and ${holdsFence(JOB, p.fence)}`,
);

/** A notice without the columns that its insertion sets. */
export type NewNotice = Omit<AlertNoticeRow, "post_attempts">;

/** Statement: store notices. A repeat stores none. */
export const insertNotices = statement({ notices: json<readonly NewNotice[]>(), fence }, (p) => {
  const { from, item } = jsonEach(p.notices);
  const { id: noticeId, kind, alerts: noticed, is_mail_due, is_post_due, created_at } = item;
  const values = { id: noticeId, kind, alerts: noticed, is_mail_due, is_post_due, created_at };
  return sql`${insertSelect(alert_notices, values, sql`from ${from} where ${holdsFence(JOB, p.fence)}`)}
    on conflict do nothing`;
});

/** Statement: the notices that are not yet mailed and posted, the oldest first. */
export const listNotices = statement({ limit: integer }, (p) =>
  queryBuilder
    .select(allColumns(alert_notices))
    .from(alert_notices)
    .where(gt(alert_notices.id, ""))
    .orderBy(alert_notices.created_at, alert_notices.id)
    .limit(p.limit),
);

const { id } = alert_notices;

/** Statement: record that the mails of a notice are accepted, or that it has no recipient. */
export const endMail = statement({ id }, (p) =>
  queryBuilder.update(alert_notices).set({ is_mail_due: false }).where(eq(id, p.id)),
);

/** Statement: record an attempt to post a notice. */
export const endPost = statement({ id, isDue: alert_notices.is_post_due }, (p) =>
  queryBuilder
    .update(alert_notices)
    .set({ is_post_due: p.isDue as SQL<boolean>, post_attempts: sql`${alert_notices.post_attempts} + 1` })
    .where(eq(id, p.id)),
);

/** Statement: delete the notices that are mailed and posted, and those from before `before` (unix ms). */
export const deleteNotices = statement(
  { before: integer },
  (p) => sql`delete from ${alert_notices} where ${id} > ''
    and ((${alert_notices.is_mail_due} = 0 and ${alert_notices.is_post_due} = 0) or ${alert_notices.created_at} < ${p.before})`,
);
