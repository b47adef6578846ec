import { and, asc, eq, sql } from "drizzle-orm";
import { customTemplateContent, publishedVersion } from "../../../../db/email/conditions/custom-templates";
import { rules, templates } from "../../../../db/email/schema";
import { allColumns, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const r = rules;
const t = templates;
const ofEvent = { companyId: r.company_id, eventType: r.event_type };

/** The rules of a company that make mail of an event, in the order in which they were made. */
export const findEnabled = statement(ofEvent, (p) =>
  queryBuilder
    .select(allColumns(r))
    .from(r)
    .where(and(eq(r.company_id, p.companyId), eq(r.event_type, p.eventType), eq(r.enabled, true)))
    .orderBy(asc(r.created_at), asc(r.id)),
);

/** What their copies say, by `template_id`; none where nothing is published. */
export const findContents = statement(ofEvent, (p) =>
  selectRows(
    customTemplateContent,
    (columns) => sql`select ${columns} from ${r} cross join ${t} on ${t.id} = ${r.template_id} ${publishedVersion}
      where ${r.company_id} = ${p.companyId} and ${r.event_type} = ${p.eventType} and ${r.enabled} = 1`,
  ),
);
