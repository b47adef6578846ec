import { sql } from "drizzle-orm";
import { addCounters, twice } from "../../../../db/email/conditions/counters";
import { messages } from "../../../../db/email/schema";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import { inList, jsonEach, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Accepted messages since a time; `hash` "" is the whole company. `oldest` is unix ms or null. */
export type AcceptedCount = { hash: string; used: number; oldest: number | null };

const { company_id, lane, event_type, status, email_hmac, attempt_count, accepted_at } = messages;

// What was never to be sent used nothing up.
const isCounted = sql`not (${status} = 'suppressed' and ${attempt_count} = 0)`;

/**
 * What a company and its recipients had accepted since then (unix ms, each with its own), by index; decides limits while
 * their object does not answer. `hashes` without repeats. Of recipients only mail of the types of `apart` counts, or only that of all others.
 */
export const countAccepted = statement(
  {
    companyId: company_id,
    lane,
    companySince: integer,
    recipientSince: integer,
    hashes: json<readonly string[]>(),
    apart: json<readonly string[]>(),
    isApart: boolean,
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
        where ${lane} = ${p.lane} and ${isCounted} and ${inList(event_type, p.apart)} = ${p.isApart} group by ${email_hmac}`,
    );
  },
);

/** Counts refusals of limits for the scrape, since the beginning. */
export const countRefusals = statement({ companyId: company_id, refusals: json<Record<string, number>>() }, (p) =>
  addCounters(
    {
      name: "rate_limited",
      a: sql`r.key`,
      b: sql`''`,
      companyId: p.companyId,
      hour: sql`0`,
      n: sql`r.value`,
    },
    sql`from json_each(${p.refusals}) r cross join ${twice}`,
  ),
);
