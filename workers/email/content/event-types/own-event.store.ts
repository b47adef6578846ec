import { and, eq, sql } from "drizzle-orm";
import { event_types, templates } from "../../../../db/email/schema";
import { json } from "../../../kit/db/kind";
import { allColumns, isInList, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const columns = allColumns(event_types);
const { company_id, event_type } = event_types;

/** Statement: an event type of the company. */
export const findOwnType = statement({ companyId: company_id, eventType: event_type }, (p) =>
  queryBuilder
    .select(columns)
    .from(event_types)
    .where(and(eq(company_id, p.companyId), eq(event_type, p.eventType))),
);

/** Statement: the event types of the company with these names. */
export const findOwnTypes = statement({ companyId: company_id, names: json<readonly string[]>() }, (p) =>
  queryBuilder
    .select(columns)
    .from(event_types)
    .where(and(eq(company_id, p.companyId), isInList(event_type, p.names))),
);

/** Statement: all event types of the company, by name. */
export const listOwnTypes = statement({ companyId: company_id }, (p) =>
  queryBuilder.select(columns).from(event_types).where(eq(company_id, p.companyId)).orderBy(event_type),
);

/** Statement: the own event type of a custom template. No row when the template is for an event of the platform. */
export const findTypeOfTemplate = statement({ templateId: templates.id }, (p) =>
  selectRows(
    columns,
    (selected) => sql`select ${selected} from ${templates} cross join ${event_types}
      on ${company_id} = ${templates.company_id} and ${event_type} = ${templates.event_type} where ${templates.id} = ${p.templateId}`,
  ),
);
