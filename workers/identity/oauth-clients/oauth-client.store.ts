import type { oauth_clients } from "../../../db/identity/schema";
import { sql } from "../../kit/db";

export type OAuthClientRow = typeof oauth_clients.$inferSelect;
export type Provider = OAuthClientRow["provider"];

/** (company): the active clients, complete or not, by provider id. */
export const findActiveClients = sql(
  "SELECT * FROM oauth_clients WHERE company_id = ?1 AND is_active = 1 ORDER BY provider_id",
);

/** (company, id): one client of the company, active or not. */
export const findClient = sql("SELECT * FROM oauth_clients WHERE id = ?2 AND company_id = ?1");
