import { and, eq, isNull, sql } from "drizzle-orm";
import { library_templates, rules } from "../../../../db/email/schema";
import { json, text } from "../../../kit/db/kind";
import { jsonEach, leftJoined, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, key, set_key, company_id, document } = library_templates;

/** The event of a built-in rule and the key of the design from which its custom template is created. */
type DefaultDesign = { event_type: string; design: string };

/**
 * Statement: the built-in rules that a company lacks, with their designs. The design columns are null when the library lacks
 * the design. When the company has all rules, no design is read.
 */
export const findMissing = statement(
  { companyId: rules.company_id, defaults: json<readonly DefaultDesign[]>() },
  (p) => {
    const { from, item } = jsonEach(p.defaults);
    return selectRows(
      {
        event_type: sql`${item.event_type}`.mapWith(text),
        ...leftJoined({ id, key, set_key, document }),
        company_id,
      },
      (columns) => sql`select ${columns} from ${from}
      left join ${library_templates} on ${and(eq(key, item.design), isNull(company_id))}
      where not exists (select 1 from ${rules} where ${rules.company_id} = ${p.companyId}
        and ${rules.event_type} = ${item.event_type} and ${rules.built_in} = 1)`,
    );
  },
);
