import { and, eq, sql } from "drizzle-orm";
import { displayedName } from "../../../../db/identity/conditions/company-user";
import { ownsCompany } from "../../../../db/identity/conditions/membership";
import { companies, mail_outbox, memberships, preferences, users } from "../../../../db/identity/schema";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { insertSelect, jsonEach, selectRows } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const owner = {
  company_id: companies.id,
  company_name: companies.name,
  company_slug: companies.slug,
  id: users.id,
  email: users.email,
  region: sql`${preferences.region}`.mapWith(nullable(text)),
  language: sql`case when ${preferences.language} = 'fr' then 'fr' else 'en' end`.mapWith(text),
};

/** Selects the active owners of those companies that are active. */
export const findOwnersOf = statement({ companies: json<readonly number[]>() }, (p) => {
  const company = jsonEach(p.companies);
  return selectRows(
    owner,
    (columns) => sql`select ${columns} from ${company.from}
      cross join ${companies} on ${companies.id} = ${company.value} and ${companies.is_active} = 1
      cross join ${memberships} on ${and(eq(memberships.company_id, companies.id), ownsCompany(memberships))}
      cross join ${users} on ${and(eq(users.id, memberships.user_id), eq(users.is_active, true))}
      left join ${preferences} on ${preferences.user_id} = ${users.id}`,
  );
});

export type Owner = RowOfStatement<typeof findOwnersOf>;

/** Selects the names of users, or their addresses when they have no name. */
export const findNamesOf = statement({ users: json<readonly number[]>() }, (p) => {
  const user = jsonEach(p.users);
  return selectRows(
    { id: users.id, name: displayedName.mapWith(text) },
    (columns) => sql`select ${columns} from ${user.from} cross join ${users} on ${users.id} = ${user.value}`,
  );
});

/** The outbox columns of a notice. */
type NewNotice = { id: string; company_id: number; key: string; sealed: string };

/** Inserts notices into the outbox. Skips a notice whose idempotency key already exists. */
export const insertNotices = statement(
  {
    notices: json<readonly NewNotice[]>(),
    now: integer,
    deadline: mail_outbox.deadline_at,
    requestId: mail_outbox.request_id,
  },
  (p) => {
    const { from, item } = jsonEach(p.notices);
    return insertSelect(
      mail_outbox,
      {
        id: item.id,
        company_id: item.company_id,
        kind: "notice",
        idempotency_key: item.key,
        sealed: item.sealed,
        state: "waiting",
        next_at: p.now,
        deadline_at: p.deadline,
        request_id: p.requestId,
        created_at: p.now,
      },
      sql`from ${from} where true on conflict do nothing`,
    );
  },
);
