import { sql } from "drizzle-orm";
import { addCounters, perCompanyAndTotal } from "../../../../db/email/conditions/counters";
import { messages } from "../../../../db/email/schema";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import { isInList, jsonEach, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The number of messages accepted since a time. `hash` "" stands for the whole company. `oldest` is in unix ms or null. */
export type AcceptedCount = { hash: string; used: number; oldest: number | null };

const { company_id, lane, event_type, status, email_hmac, attempt_count, accepted_at } = messages;

// Messages that were suppressed when they were accepted do not count.
const isCounted = sql`not (${status} = 'suppressed' and ${attempt_count} = 0)`;

/**
 * Statement: the number of accepted messages of a company and of each recipient since the given times (unix ms). It replaces
 * the rate limiter while the rate limiter is unavailable. `hashes` must be unique. For recipients, it counts the event types in
 * `separateTypes` if `isSeparate` is true, otherwise all other event types.
 */
export const countAccepted = statement(
  {
    companyId: company_id,
    lane,
    companySince: integer,
    recipientSince: integer,
    hashes: json<readonly string[]>(),
    separateTypes: json<readonly string[]>(),
    isSeparate: boolean,
  },
  (p) => {
    const hash = jsonEach(p.hashes);
    const counts = {
      used: sql`count(*)`.mapWith(integer),
      oldest: sql`min(${accepted_at})`.mapWith(nullable(integer)),
    };
    return selectRows(
      { hash: sql`''`.mapWith(text), ...counts },
      (columns) => sql`select ${columns} from ${messages}
        where ${company_id} = ${p.companyId} and ${accepted_at} > ${p.companySince} and ${lane} = ${p.lane} and ${isCounted}
        union all
        select ${email_hmac}, ${counts.used}, ${counts.oldest} from ${hash.from} cross join ${messages}
          on ${company_id} = ${p.companyId} and ${email_hmac} = ${hash.value} and ${accepted_at} > ${p.recipientSince}
        where ${lane} = ${p.lane} and ${isCounted} and ${isInList(event_type, p.separateTypes)} = ${p.isSeparate} group by ${email_hmac}`,
    );
  },
);

/** Statement: adds rate-limited messages to the metrics. They are not counted by hour. */
export const countRateLimited = statement({ companyId: company_id, rejections: json<Record<string, number>>() }, (p) =>
  addCounters(
    {
      name: "rate_limited",
      a: sql`r.key`,
      b: sql`''`,
      companyId: p.companyId,
      hour: sql`0`,
      n: sql`r.value`,
    },
    sql`from json_each(${p.rejections}) r cross join ${perCompanyAndTotal}`,
  ),
);
