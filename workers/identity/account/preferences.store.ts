import { sql } from "../../kit/db";

/** (user, theme, language, region, color scheme, now): each null keeps what is stored, or the default (details 8). */
export const putPreferences = sql(
  `INSERT INTO preferences (user_id, theme_name, language, region, color_scheme, updated_at)
   SELECT u.id, coalesce(?2, 'default'), coalesce(?3, 'en'), coalesce(?4, 'UTC'), coalesce(?5, 'system'), ?6
   FROM users u WHERE u.id = ?1
   ON CONFLICT(user_id) DO UPDATE SET theme_name = coalesce(?2, theme_name), language = coalesce(?3, language),
     region = coalesce(?4, region), color_scheme = coalesce(?5, color_scheme), updated_at = ?6`,
);

/** (user): back to the defaults. */
export const deletePreferences = sql("DELETE FROM preferences WHERE user_id = ?1");
