import { sql } from "drizzle-orm";
import {
  hosting_deployments as deployments,
  hosting_domains as domains,
  hosting_hostnames as hostnames,
  hosting_origins as origins,
} from "../../../db/hosting/schema";
import { boolean, integer } from "../../kit/db/kind";
import { selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Statement: which kinds of work are due at `now` (unix ms). It reads at most one row of each partial index. */
export const findDueWork = statement({ now: integer }, (p) =>
  selectRows(
    {
      steps: sql`exists (select 1 from ${deployments}
        where ${deployments.next_step_at} is not null and ${deployments.next_step_at} <= ${p.now})`.mapWith(boolean),
      notices: sql`exists (select 1 from ${deployments} where ${deployments.notice_at} is not null)`.mapWith(boolean),
      origins: sql`exists (select 1 from ${origins} where ${origins.due_at} <= ${p.now})`.mapWith(boolean),
      hostnames: sql`exists (select 1 from ${hostnames} where ${hostnames.due_at} <= ${p.now})`.mapWith(boolean),
      domains: sql`exists (select 1 from ${domains}
        where ${domains.next_check_at} is not null and ${domains.next_check_at} <= ${p.now})`.mapWith(boolean),
    },
    (columns) => sql`select ${columns}`,
  ),
);
