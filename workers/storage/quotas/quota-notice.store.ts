import { isNotNull, type SQL, sql } from "drizzle-orm";
import { company_quotas } from "../../../db/storage/schema";
import { integer, json } from "../../kit/db/kind";
import { assignments, jsonEach, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const { company_id, max_bytes, notice_at, notice_threshold, used_bytes } = company_quotas;

/** Statement: up to `limit` companies whose owners were not told that a quota is almost used up, the longest wait first. */
export const findQuotaNotices = statement({ limit: integer }, (p) =>
  selectRows(
    {
      company_id,
      threshold: sql`${notice_threshold}`.mapWith(integer),
      used_bytes,
      max_bytes: sql`coalesce(${max_bytes}, 0)`.mapWith(integer),
      notice_at: sql`${notice_at}`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from ${company_quotas} indexed by company_quotas_notice
      where ${isNotNull(notice_at)} order by ${notice_at} limit ${p.limit}`,
  ),
);

/** Statement: ends the notices that identity has accepted. A later notice of the same company remains. */
export const endQuotaNotices = statement(
  { notices: json<readonly { company_id: number; notice_at: number }[]>() },
  (p) => {
    const { from, item } = jsonEach(p.notices as SQL<readonly { company_id: number; notice_at: number }[]>);
    const values = assignments(company_quotas, { notice_at: null, notice_threshold: null });
    return sql`update ${company_quotas} set ${values} from ${from}
      where ${company_id} = ${item.company_id} and ${notice_at} = ${item.notice_at}`;
  },
);
