import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { decisions } from "../../../../db/email/schema";
import { nullable } from "../../../kit/db/kind";
import { filterUnlessNull, selectRows, tableReference } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";
import { walk, walkParameters } from "../../../kit/db/walk";

const d = alias(decisions, "d");
const x = alias(decisions, "x");

const { id, service, event_type, reason, rule_id, recipient_masked, request_id, created_at } = d;
const publicColumns = { id, service, event_type, reason, rule_id, recipient_masked, request_id, created_at };

/**
 * Statement: one page of the decisions of a company, newest first, with ids from `fromId` (inclusive) to `beforeId`
 * (exclusive).
 */
export const listDecisions = statement(
  {
    companyId: x.company_id,
    fromId: x.id,
    beforeId: x.id,
    eventType: nullable(x.event_type),
    reason: nullable(x.reason),
    ...walkParameters,
  },
  (p) => {
    const matches = and(
      filterUnlessNull(p.eventType, eq(x.event_type, p.eventType)),
      filterUnlessNull(p.reason, eq(x.reason, p.reason)),
    );
    const isInRange = and(eq(x.company_id, p.companyId), lt(x.id, p.beforeId), gte(x.id, p.fromId));
    const range = sql`from ${tableReference(x)} where ${isInRange} order by ${desc(x.id)}`;
    const page = walk({ key: x.id, matches: sql`${matches}`, range }, p);
    return selectRows(
      { ...publicColumns, ...page.end },
      (
        columns,
      ) => sql`select ${columns} from ${page.from} cross join ${tableReference(d)} on ${d.company_id} = ${p.companyId}
        and ${d.id} = ${page.key} order by ${desc(d.id)}`,
    );
  },
);

export type ListedDecision = RowOfStatement<typeof listDecisions>;
