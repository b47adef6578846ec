import { sql } from "../../kit/db";

/** Bind: company id. The stored name of a company. */
export const profileOf = sql("SELECT name FROM company_profiles WHERE company_id = ?1");

/** Bind: company id, name, now (ms). Keeps a company's name for later mail. */
export const storeName = sql(
  `INSERT INTO company_profiles (company_id, name, updated_at) VALUES (?1, ?2, ?3)
   ON CONFLICT (company_id) DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at
    WHERE company_profiles.name <> excluded.name`,
);
