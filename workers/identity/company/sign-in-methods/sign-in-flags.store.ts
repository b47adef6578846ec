import { and, eq, or, sql } from "drizzle-orm";
import { companies } from "../../../../db/identity/schema";
import { nullable } from "../../../kit/db/kind";
import { q } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The company's flags of sign-in, those that are not null; nothing when they say so already. */
export const setSignInFlags = statement(
  {
    companyId: companies.id,
    isMagicLink: nullable(companies.enable_magic_link),
    isNotified: nullable(companies.notify_new_device),
    now: companies.updated_at,
  },
  (p) =>
    q
      .update(companies)
      .set({
        enable_magic_link: sql`coalesce(${p.isMagicLink}, ${companies.enable_magic_link})`,
        notify_new_device: sql`coalesce(${p.isNotified}, ${companies.notify_new_device})`,
        updated_at: p.now,
      })
      .where(
        and(
          eq(companies.id, p.companyId),
          or(
            sql`coalesce(${p.isMagicLink} <> ${companies.enable_magic_link}, 0)`,
            sql`coalesce(${p.isNotified} <> ${companies.notify_new_device}, 0)`,
          ),
        ),
      ),
);
