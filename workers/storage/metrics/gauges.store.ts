import { between, gte, type SQL, sql } from "drizzle-orm";
import { company_quotas, storage_buckets, upload_hours } from "../../../db/storage/schema";
import { integer } from "../../kit/db/kind";
import { selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const since = (hour: SQL, column: SQL): SQL<number> =>
  sql`coalesce((select sum(${column}) from ${upload_hours} where ${upload_hours.company_id} = ${company_quotas.company_id} and ${gte(upload_hours.hour, hour)}), 0)`.mapWith(
    integer,
  );

/** Selects the gauges of the companies in a range of ids. Hours are whole hours since the epoch. */
export const listCompanyGauges = statement(
  { from: integer, to: integer, day: integer, week: integer, month: integer },
  (p) =>
    selectRows(
      {
        company_id: company_quotas.company_id,
        objects: company_quotas.object_count,
        used_bytes: company_quotas.used_bytes,
        reserved_bytes: company_quotas.reserved_bytes,
        max_bytes: company_quotas.max_bytes,
        buckets:
          sql`(select count(*) from ${storage_buckets} where ${storage_buckets.company_id} = ${company_quotas.company_id})`.mapWith(
            integer,
          ),
        uploads_24h: since(p.day, sql`${upload_hours.uploads}`),
        uploads_7d: since(p.week, sql`${upload_hours.uploads}`),
        uploads_30d: since(p.month, sql`${upload_hours.uploads}`),
        bytes_7d: since(p.week, sql`${upload_hours.bytes}`),
      },
      (
        columns,
      ) => sql`select ${columns} from ${company_quotas} where ${between(company_quotas.company_id, p.from, p.to)}
        order by ${company_quotas.company_id}`,
    ),
);
