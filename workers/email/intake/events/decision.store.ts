import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { decisions } from "../../../../db/email/schema";
import { boundedScan, scanParameters } from "../../../kit/db/bounded-scan";
import { nullable } from "../../../kit/db/kind";
import { filterUnlessNull, selectRows, tableReference } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const decision = alias(decisions, "decision");
const candidate = alias(decisions, "candidate");

const { id, service, event_type, reason, rule_id, recipient_masked, request_id, created_at } = decision;
const publicColumns = { id, service, event_type, reason, rule_id, recipient_masked, request_id, created_at };

/**
 * Statement: one page of the decisions of a company, newest first, with ids from `fromId` (inclusive) to `beforeId`
 * (exclusive).
 */
export const listDecisions = statement(
  {
    companyId: candidate.company_id,
    fromId: candidate.id,
    beforeId: candidate.id,
    eventType: nullable(candidate.event_type),
    reason: nullable(candidate.reason),
    ...scanParameters,
  },
  (p) => {
    const matches = and(
      filterUnlessNull(p.eventType, eq(candidate.event_type, p.eventType)),
      filterUnlessNull(p.reason, eq(candidate.reason, p.reason)),
    );
    const isInRange = and(
      eq(candidate.company_id, p.companyId),
      lt(candidate.id, p.beforeId),
      gte(candidate.id, p.fromId),
    );
    const range = sql`from ${tableReference(candidate)} where ${isInRange} order by ${desc(candidate.id)}`;
    const page = boundedScan({ key: candidate.id, matches: sql`${matches}`, range }, p);
    return selectRows(
      { ...publicColumns, ...page.end },
      (
        columns,
      ) => sql`select ${columns} from ${page.from} cross join ${tableReference(decision)} on ${decision.company_id} = ${p.companyId}
        and ${decision.id} = ${page.key} order by ${desc(decision.id)}`,
    );
  },
);

export type ListedDecision = RowOfStatement<typeof listDecisions>;
