import { and, asc, eq, sql } from "drizzle-orm";
import { customTemplateContent, publishedVersion } from "../../../../db/email/conditions/custom-templates";
import { rules, templates } from "../../../../db/email/schema";
import { allColumns, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const eventParameters = { companyId: rules.company_id, eventType: rules.event_type };

/** Statement: the enabled rules of a company for an event, ordered by creation time. */
export const findEnabled = statement(eventParameters, (p) =>
  queryBuilder
    .select(allColumns(rules))
    .from(rules)
    .where(and(eq(rules.company_id, p.companyId), eq(rules.event_type, p.eventType), eq(rules.enabled, true)))
    .orderBy(asc(rules.created_at), asc(rules.id)),
);

/**
 * Statement: the published content of the custom templates of the enabled rules for an event. Omits templates without a
 * published version.
 */
export const findContents = statement(eventParameters, (p) =>
  selectRows(
    customTemplateContent,
    (
      columns,
    ) => sql`select ${columns} from ${rules} cross join ${templates} on ${templates.id} = ${rules.template_id} ${publishedVersion}
      where ${rules.company_id} = ${p.companyId} and ${rules.event_type} = ${p.eventType} and ${rules.enabled} = 1`,
  ),
);
