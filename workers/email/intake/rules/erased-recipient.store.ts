import { and, eq, ne } from "drizzle-orm";
import { rules } from "../../../../db/email/schema";
import { integer } from "../../../kit/db/kind";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, company_id, service, event_type, seal_id, static_recipients_enc } = rules;

/** Statement: the rules of a company that have addresses of their own. */
export const findWithAddresses = statement({ companyId: company_id }, (p) =>
  queryBuilder
    .select({ id, company_id, service, event_type, seal_id, static_recipients_enc })
    .from(rules)
    .where(and(eq(company_id, p.companyId), ne(static_recipients_enc, ""))),
);

/** Statement: replaces the addresses of a rule if they still equal `expected`. */
export const replaceAddresses = statement(
  { id, expected: static_recipients_enc, next: static_recipients_enc, now: integer },
  (p) =>
    queryBuilder
      .update(rules)
      .set({ static_recipients_enc: p.next, updated_at: p.now })
      .where(and(eq(id, p.id), eq(static_recipients_enc, p.expected))),
);
