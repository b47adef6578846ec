import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { type SignInFlag, signInFlags } from "../../../../db/identity/conditions/sign-in-flags";
import { companies } from "../../../../db/identity/schema";
import { json } from "../../../kit/db/kind";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Sets the given sign-in flags of a company. Changes nothing when they already have these values. */
export const setSignInFlags = statement(
  { companyId: companies.id, flags: json<{ [F in SignInFlag]?: boolean }>(), now: companies.updated_at },
  (p) => {
    const entries = Object.entries(signInFlags);
    const newFlag = (name: string): SQL<boolean> => sql`${p.flags} ->> ${sql.raw(`'$.${name}'`)}`;
    const values = entries.map(([name, column]) => [name, sql`coalesce(${newFlag(name)}, ${column})`]);
    return queryBuilder
      .update(companies)
      .set({ ...Object.fromEntries(values), updated_at: p.now })
      .where(
        and(
          eq(companies.id, p.companyId),
          or(...entries.map(([name, column]) => sql`coalesce(${newFlag(name)} <> ${column}, 0)`)),
        ),
      );
  },
);
