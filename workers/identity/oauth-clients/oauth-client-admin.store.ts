import { sql } from "../../kit/db";

/** (company): how many clients it has. */
export const countClients = sql("SELECT count(*) AS count FROM oauth_clients WHERE company_id = ?1");

/** (company, limit, offset): a page of its clients, active or not, by provider id. */
export const listClients = sql(
  "SELECT * FROM oauth_clients WHERE company_id = ?1 ORDER BY provider_id LIMIT ?2 OFFSET ?3",
);

/**
 * (company, id, provider, provider id, label, client id, config JSON, secret?, active 0/1, now, most rows): nothing when
 * the company has a client of the provider id, or too many.
 */
export const insertClient = sql(
  `INSERT INTO oauth_clients (id, company_id, provider, provider_id, label, client_id, config, secret_sealed, is_active,
     created_at, updated_at)
   SELECT ?2, ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10
   WHERE (SELECT count(*) FROM oauth_clients WHERE company_id = ?1) < ?11 ON CONFLICT DO NOTHING`,
);

/** (company, provider id): the client of a provider id. */
export const findClientOfProvider = sql("SELECT * FROM oauth_clients WHERE company_id = ?1 AND provider_id = ?2");

/** (company, id, label?, client id?, config merge patch, secret?, active?, now): null keeps; a null in the patch removes. */
export const changeClient = sql(
  `UPDATE oauth_clients SET label = coalesce(?3, label), client_id = coalesce(?4, client_id),
     config = json_patch(config, ?5), secret_sealed = coalesce(?6, secret_sealed), is_active = coalesce(?7, is_active),
     updated_at = ?8
   WHERE id = ?2 AND company_id = ?1 RETURNING *`,
);

/** (company, id): takes the client and its secret away. */
export const deleteClient = sql("DELETE FROM oauth_clients WHERE id = ?2 AND company_id = ?1");
