import { between, gte, type SQL, sql } from "drizzle-orm";
import { company_quotas, storage_buckets, upload_hours } from "../../../db/storage/schema";
import { integer } from "../../kit/db/kind";
import { selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const c = company_quotas;
const b = storage_buckets;
const h = upload_hours;

const since = (hour: SQL, column: SQL): SQL<number> =>
  sql`coalesce((select sum(${column}) from ${h} where ${h.company_id} = ${c.company_id} and ${gte(h.hour, hour)}), 0)`.mapWith(
    integer,
  );

/** Selects the gauges of the companies in a range of ids. Hours are whole hours since the epoch. */
export const listCompanyGauges = statement(
  { from: integer, to: integer, day: integer, week: integer, month: integer },
  (p) =>
    selectRows(
      {
        company_id: c.company_id,
        objects: c.object_count,
        used_bytes: c.used_bytes,
        reserved_bytes: c.reserved_bytes,
        max_bytes: c.max_bytes,
        buckets: sql`(select count(*) from ${b} where ${b.company_id} = ${c.company_id})`.mapWith(integer),
        uploads_24h: since(p.day, sql`${h.uploads}`),
        uploads_7d: since(p.week, sql`${h.uploads}`),
        uploads_30d: since(p.month, sql`${h.uploads}`),
        bytes_7d: since(p.week, sql`${h.bytes}`),
      },
      (columns) => sql`select ${columns} from ${c} where ${between(c.company_id, p.from, p.to)}
        order by ${c.company_id}`,
    ),
);
