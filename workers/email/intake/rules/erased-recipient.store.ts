import { and, eq, ne } from "drizzle-orm";
import { rules } from "../../../../db/email/schema";
import { integer } from "../../../kit/db/kind";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, company_id, service, event_type, seal_id, static_recipients_enc } = rules;

/** The rules of a company that have addresses of their own. */
export const findWithAddresses = statement({ companyId: company_id }, (p) =>
  queryBuilder
    .select({ id, company_id, service, event_type, seal_id, static_recipients_enc })
    .from(rules)
    .where(and(eq(company_id, p.companyId), ne(static_recipients_enc, ""))),
);

/** Stores other addresses where those that were read (`was`) still stand. */
export const replaceAddresses = statement(
  { id, was: static_recipients_enc, next: static_recipients_enc, now: integer },
  (p) =>
    queryBuilder
      .update(rules)
      .set({ static_recipients_enc: p.next, updated_at: p.now })
      .where(and(eq(id, p.id), eq(static_recipients_enc, p.was))),
);
