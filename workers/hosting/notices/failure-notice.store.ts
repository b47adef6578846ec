import { eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { hosting_apps, hosting_deployments } from "../../../db/hosting/schema";
import { integer, json, text } from "../../kit/db/kind";
import { assignments, jsonEach, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const { app_id, app_version, company_id, error, id, notice_at } = hosting_deployments;

/** Statement: up to `limit` failed deployments whose owners were not notified, the oldest failure first. */
export const findFailureNotices = statement({ limit: integer }, (p) =>
  selectRows(
    {
      app_id,
      deployment_id: id,
      company_id,
      user_id: hosting_deployments.deployed_by_id,
      display_name: hosting_apps.display_name,
      app_version,
      error: sql`coalesce(${error}, '')`.mapWith(text),
      notice_at: sql`${notice_at}`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from ${hosting_deployments} indexed by hosting_deployments_notice
      cross join ${hosting_apps} on ${eq(hosting_apps.id, app_id)}
      where ${isNotNull(notice_at)} order by ${notice_at} limit ${p.limit}`,
  ),
);

type SentNotice = { deployment_id: string; notice_at: number };

/** Statement: ends the notices that identity has accepted. The notice of a later failure remains. */
export const endFailureNotices = statement({ notices: json<readonly SentNotice[]>() }, (p) => {
  const { from, item } = jsonEach(p.notices as SQL<readonly SentNotice[]>);
  return sql`update ${hosting_deployments} set ${assignments(hosting_deployments, { notice_at: null })} from ${from}
    where ${id} = ${item.deployment_id} and ${notice_at} = ${item.notice_at}`;
});
