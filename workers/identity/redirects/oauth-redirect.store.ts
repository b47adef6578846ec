import type { oauth_redirects } from "../../../db/identity/schema";
import { sql } from "../../kit/db";

export type OauthRedirectRow = typeof oauth_redirects.$inferSelect;

/** (company): how many rows its allowlist has; never more than the limit of 200. */
export const countRedirects = sql("SELECT count(*) AS count FROM oauth_redirects WHERE company_id = ?1");

/** (company, limit, offset): a page of the allowlist, oldest first. */
export const listRedirects = sql(
  `SELECT * FROM oauth_redirects INDEXED BY oauth_redirects_oldest
   WHERE company_id = ?1 ORDER BY created_at, id LIMIT ?2 OFFSET ?3`,
);

/** (company, id): the row. */
export const findRedirect = sql("SELECT * FROM oauth_redirects WHERE id = ?2 AND company_id = ?1");

/** (company, origin): the row of an origin, active or not. */
export const findRedirectByOrigin = sql("SELECT * FROM oauth_redirects WHERE company_id = ?1 AND base_url = ?2");

/** (company, id, origin, label, source, active 0/1, now, most rows): nothing when the origin is there or the list is full. */
export const insertRedirect = sql(
  `INSERT INTO oauth_redirects (id, company_id, base_url, label, source, is_active, created_at)
   SELECT ?2, ?1, ?3, ?4, ?5, ?6, ?7 WHERE (SELECT count(*) FROM oauth_redirects WHERE company_id = ?1) < ?8
   ON CONFLICT DO NOTHING`,
);

/** (company, id, origin?, label?, active?): null keeps; nothing when another row has the origin. */
export const changeRedirect = sql(
  `UPDATE oauth_redirects SET base_url = coalesce(?3, base_url), label = coalesce(?4, label),
     is_active = coalesce(?5, is_active)
   WHERE id = ?2 AND company_id = ?1
     AND NOT EXISTS (SELECT 1 FROM oauth_redirects o WHERE o.company_id = ?1 AND o.base_url = ?3 AND o.id <> ?2)
   RETURNING *`,
);

/** (company, origin, label?): makes a present row active; a label is given to rows of hosting only. */
export const activateRedirect = sql(
  `UPDATE oauth_redirects SET is_active = 1, label = CASE source WHEN 'hosting' THEN coalesce(?3, label) ELSE label END
   WHERE company_id = ?1 AND base_url = ?2
     AND (is_active = 0 OR (source = 'hosting' AND label <> coalesce(?3, label)))`,
);

/** (company, id): takes the row away. */
export const deleteRedirect = sql("DELETE FROM oauth_redirects WHERE id = ?2 AND company_id = ?1");

/** (company, origin): takes the row of an origin away when hosting had put it there. */
export const deleteHostingRedirect = sql(
  "DELETE FROM oauth_redirects WHERE company_id = ?1 AND base_url = ?2 AND source = 'hosting'",
);
