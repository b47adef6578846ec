import { eq, sql } from "drizzle-orm";
import { preferences, users } from "../../../../db/identity/schema";
import { nullable } from "../../../kit/db/kind";
import { assignments, columnName, insertSelect, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Stores the preferences that are not null. The others keep their stored value or the default. */
export const putPreferences = statement(
  {
    userId: users.id,
    theme: nullable(preferences.theme_name),
    language: nullable(preferences.language),
    region: nullable(preferences.region),
    colorScheme: nullable(preferences.color_scheme),
    now: preferences.updated_at,
  },
  (p) =>
    insertSelect(
      preferences,
      {
        user_id: users.id,
        theme_name: sql`coalesce(${p.theme}, 'default')`,
        language: sql`coalesce(${p.language}, 'en')`,
        region: sql`coalesce(${p.region}, 'UTC')`,
        color_scheme: sql`coalesce(${p.colorScheme}, 'system')`,
        updated_at: p.now,
      },
      sql`from ${users} where ${users.id} = ${p.userId}
        on conflict (${columnName(preferences.user_id)}) do update set ${assignments(preferences, {
          theme_name: sql`coalesce(${p.theme}, ${preferences.theme_name})`,
          language: sql`coalesce(${p.language}, ${preferences.language})`,
          region: sql`coalesce(${p.region}, ${preferences.region})`,
          color_scheme: sql`coalesce(${p.colorScheme}, ${preferences.color_scheme})`,
          updated_at: p.now,
        })}`,
    ),
);

/** Replaces the paths of the pinned places. They are stored with the user, because a row here is a choice of language. */
export const putPinned = statement({ userId: users.id, pinned: users.pinned }, (p) =>
  queryBuilder.update(users).set({ pinned: p.pinned }).where(eq(users.id, p.userId)),
);

/** Selects the paths of the pinned places. */
export const findPinned = statement({ userId: users.id }, (p) =>
  queryBuilder.select({ pinned: users.pinned }).from(users).where(eq(users.id, p.userId)),
);

/** Deletes the row, so that the defaults apply. */
export const deletePreferences = statement({ userId: preferences.user_id }, (p) =>
  queryBuilder.delete(preferences).where(eq(preferences.user_id, p.userId)),
);
