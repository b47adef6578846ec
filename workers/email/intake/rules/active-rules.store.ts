import { and, asc, eq, sql } from "drizzle-orm";
import { customTemplateContent, publishedVersion } from "../../../../db/email/conditions/custom-templates";
import { rules, templates } from "../../../../db/email/schema";
import { allColumns, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const r = rules;
const t = templates;
const eventParameters = { companyId: r.company_id, eventType: r.event_type };

/** Statement: the enabled rules of a company for an event, ordered by creation time. */
export const findEnabled = statement(eventParameters, (p) =>
  queryBuilder
    .select(allColumns(r))
    .from(r)
    .where(and(eq(r.company_id, p.companyId), eq(r.event_type, p.eventType), eq(r.enabled, true)))
    .orderBy(asc(r.created_at), asc(r.id)),
);

/**
 * Statement: the published content of the custom templates of the enabled rules for an event. Omits templates without a
 * published version.
 */
export const findContents = statement(eventParameters, (p) =>
  selectRows(
    customTemplateContent,
    (columns) => sql`select ${columns} from ${r} cross join ${t} on ${t.id} = ${r.template_id} ${publishedVersion}
      where ${r.company_id} = ${p.companyId} and ${r.event_type} = ${p.eventType} and ${r.enabled} = 1`,
  ),
);
