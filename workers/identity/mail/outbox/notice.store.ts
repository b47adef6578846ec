import { and, eq, sql } from "drizzle-orm";
import { ownsCompany } from "../../../../db/identity/conditions/membership";
import {
  companies,
  mail_outbox,
  memberships,
  oauth_redirects,
  preferences,
  users,
} from "../../../../db/identity/schema";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { insertSelect, jsonEach, selectRows } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const { base_url, is_active, created_at } = oauth_redirects;

const owner = {
  company_id: companies.id,
  company_name: companies.name,
  company_slug: companies.slug,
  id: users.id,
  email: users.email,
  /** the oldest active origin of the company's allowlist */
  origin: sql`(select ${base_url} from ${oauth_redirects} indexed by oauth_redirects_oldest
    where ${oauth_redirects.company_id} = ${companies.id} and ${is_active} = 1 order by ${created_at}, ${oauth_redirects.id} limit 1)`.mapWith(
    nullable(text),
  ),
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
