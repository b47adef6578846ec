import { sql } from "drizzle-orm";
import {
  hosting_apps as apps,
  hosting_deployments as deployments,
  hosting_domains as domains,
} from "../../../db/hosting/schema";
import { integer, json } from "../../kit/db/kind";
import { selectRows } from "../../kit/db/query";
import { type RowOfStatement, statement } from "../../kit/db/statement";

const columnsOfTarget = {
  app_id: apps.id,
  company_id: apps.company_id,
  slug: apps.slug,
  expires_at: apps.expires_at,
  public_deployments: apps.public_deployments,
  deployment_id: deployments.id,
  finalized_at: deployments.finalized_at,
};

/** An earlier deployment, and when it went live first (unix ms). */
type Earlier = { id: string; finalized_at: number };
const earlier = json<Earlier[]>();

/** Selects the last five deployments that were live after `since`, as a JSON array, the latest one first. */
const earlierOf = (since: ReturnType<typeof sql>) =>
  sql`(select json_group_array(json_object('id', id, 'finalized_at', finalized_at)) from (select id, finalized_at from hosting_deployments as earlier
    where earlier.app_id = ${apps.id} and earlier.live_until > ${since} order by earlier.live_until desc limit 5))`;

/** Selects the live deployment of an app by its slug, and the deployments that were live after `since`. */
export const findLive = statement({ slug: apps.slug, since: integer }, (p) =>
  selectRows(
    { ...columnsOfTarget, earlier: earlierOf(sql`${p.since}`).mapWith(earlier) },
    (columns) => sql`select ${columns} from ${apps}
      join ${deployments} on ${deployments.id} = ${apps.current_deployment_id} where ${apps.slug} = ${p.slug}`,
  ),
);

/** Selects the live deployment of the app with a verified host name, and the deployments that were live after `since`. */
export const findLiveOfHostname = statement({ hostname: domains.hostname, since: integer }, (p) =>
  selectRows(
    { ...columnsOfTarget, earlier: earlierOf(sql`${p.since}`).mapWith(earlier) },
    (columns) => sql`select ${columns} from ${domains} join ${apps} on ${apps.id} = ${domains.app_id}
      join ${deployments} on ${deployments.id} = ${apps.current_deployment_id}
      where ${domains.hostname} = ${p.hostname} and ${domains.state} = 'verified'`,
  ),
);

/** Selects a deployment that is or was live by the slug of its app and the first 8 characters of its id. */
export const findDeploymentByAddress = statement({ slug: apps.slug, address: deployments.address }, (p) =>
  selectRows(
    { ...columnsOfTarget, earlier: sql`'[]'`.mapWith(earlier) },
    (columns) => sql`select ${columns} from ${apps} join ${deployments} on ${deployments.app_id} = ${apps.id}
      where ${apps.slug} = ${p.slug} and ${deployments.address} = ${p.address}
        and ${deployments.status} in ('active', 'superseded')`,
  ),
);

/** A deployment to serve. `earlier` lists deployments whose assets open tabs may still request. */
export type LiveRow = RowOfStatement<typeof findLive>;
