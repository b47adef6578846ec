import { and, asc, count, eq, gt, sql } from "drizzle-orm";
import { oauth_clients } from "../../../../db/identity/schema";
import { integer, json, nullable } from "../../../kit/db/kind";
import { allColumns, assignments, columnName, insertSelect, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, company_id, provider, provider_id, label, client_id, config, secret_sealed, is_active } = oauth_clients;

/** Selects the active clients of a company, ordered by provider id. Some may lack fields that their provider requires. */
export const findActiveClients = statement({ companyId: company_id }, (p) =>
  queryBuilder
    .select(allColumns(oauth_clients))
    .from(oauth_clients)
    .where(and(eq(company_id, p.companyId), eq(is_active, true)))
    .orderBy(asc(provider_id)),
);

/** Selects a client of the company by its id, active or not. */
export const findClient = statement({ companyId: company_id, id }, (p) =>
  queryBuilder
    .select(allColumns(oauth_clients))
    .from(oauth_clients)
    .where(and(eq(id, p.id), eq(company_id, p.companyId))),
);

/** Selects the number of clients of a company. */
export const countClients = statement({ companyId: company_id }, (p) =>
  queryBuilder.select({ total: count() }).from(oauth_clients).where(eq(company_id, p.companyId)),
);

/** Selects the clients of a company with a provider id after `after`, active or not, ordered by provider id. */
export const listClients = statement(
  { companyId: company_id, after: provider_id, limit: integer, offset: integer },
  (p) =>
    queryBuilder
      .select(allColumns(oauth_clients))
      .from(oauth_clients)
      .where(and(eq(company_id, p.companyId), gt(provider_id, p.after)))
      .orderBy(asc(provider_id))
      .limit(p.limit)
      .offset(p.offset),
);

/** Selects the client with this provider id. */
export const findClientOfProvider = statement({ companyId: company_id, providerId: provider_id }, (p) =>
  queryBuilder
    .select(allColumns(oauth_clients))
    .from(oauth_clients)
    .where(and(eq(company_id, p.companyId), eq(provider_id, p.providerId))),
);

/** Inserts a client. Inserts nothing when the company already has a client with this provider id, or `max` clients. */
export const insertClient = statement(
  {
    companyId: company_id,
    id,
    provider,
    providerId: provider_id,
    label,
    clientId: client_id,
    config,
    secret: secret_sealed,
    isActive: is_active,
    now: oauth_clients.created_at,
    max: integer,
  },
  (p) =>
    insertSelect(
      oauth_clients,
      {
        id: p.id,
        company_id: p.companyId,
        provider: p.provider,
        provider_id: p.providerId,
        label: p.label,
        client_id: p.clientId,
        config: p.config,
        secret_sealed: p.secret,
        is_active: p.isActive,
        created_at: p.now,
        updated_at: p.now,
      },
      sql`where (select count(*) from ${oauth_clients} where ${company_id} = ${p.companyId}) < ${p.max}
        on conflict do nothing`,
    ),
);

/**
 * Updates the columns whose parameter is not null and returns the row. `config` is a merge patch: a null in it removes a key.
 */
export const changeClient = statement(
  {
    companyId: company_id,
    id,
    label: nullable(label),
    clientId: nullable(client_id),
    config: json<Record<string, string | null>>(),
    secret: secret_sealed,
    isActive: nullable(is_active),
    now: oauth_clients.updated_at,
  },
  (p) =>
    selectRows(
      allColumns(oauth_clients),
      (columns) =>
        sql`update ${oauth_clients} set ${assignments(oauth_clients, {
          label: sql`coalesce(${p.label}, ${columnName(label)})`,
          client_id: sql`coalesce(${p.clientId}, ${columnName(client_id)})`,
          config: sql`json_patch(${columnName(config)}, ${p.config})`,
          secret_sealed: sql`coalesce(${p.secret}, ${columnName(secret_sealed)})`,
          is_active: sql`coalesce(${p.isActive}, ${columnName(is_active)})`,
          updated_at: p.now,
        })} where ${id} = ${p.id} and ${company_id} = ${p.companyId} returning ${columns}`,
    ),
);

/** Deletes a client, including its secret. */
export const deleteClient = statement({ companyId: company_id, id }, (p) =>
  queryBuilder.delete(oauth_clients).where(and(eq(id, p.id), eq(company_id, p.companyId))),
);
