import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import { event_types, service_clients } from "../../../../db/email/schema";
import { MAX_API_KEYS } from "../../../../schemas/email/intake/api-keys";
import { integer, json } from "../../../kit/db/kind";
import { allColumns, insertSelect, jsonEach, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, service, name, key_prefix, allowed_template_prefixes } = service_clients;
const { previous_expires_at, last_used_at, created_at } = service_clients;
const columns = allColumns(service_clients);
const companyId = sql`${service_clients.owner_company_id}`.mapWith(integer);
const publicColumns = {
  ...{ id, company_id: companyId, service, name, key_prefix, allowed_template_prefixes },
  ...{ previous_expires_at, last_used_at, created_at },
};

const isOfCompany = (p: { companyId: typeof companyId }) => eq(service_clients.owner_company_id, p.companyId);

/** Statement: one page of the API keys of a company, ordered by id. */
export const listApiKeys = statement({ companyId: integer, id, limit: integer }, (p) =>
  queryBuilder
    .select(publicColumns)
    .from(service_clients)
    .where(and(isOfCompany(p), gt(id, p.id)))
    .orderBy(asc(id))
    .limit(p.limit),
);

/** Statement: the API key with this id. */
export const findApiKey = statement({ id }, (p) =>
  queryBuilder
    .select(publicColumns)
    .from(service_clients)
    .where(and(eq(id, p.id), isNotNull(service_clients.owner_company_id))),
);

/** Statement: an event type of the company that begins with one of the prefixes. */
export const findTypeWithPrefix = statement(
  { companyId: event_types.company_id, prefixes: json<readonly string[]>() },
  (p) => {
    const prefix = jsonEach(p.prefixes);
    const { company_id, event_type } = event_types;
    // `~` sorts after every character of an event type.
    return selectRows(
      { event_type },
      (
        selected,
      ) => sql`select ${selected} from ${prefix.from} cross join ${event_types} where ${company_id} = ${p.companyId}
        and ${event_type} >= ${prefix.value} and ${event_type} < ${prefix.value} || '~' limit 1`,
    );
  },
);

/** Statement: insert an API key of a company and return it, unless the company has the maximum number of keys. */
export const insertApiKey = statement(
  {
    companyId: integer,
    service,
    name,
    key_prefix,
    key_hash: columns.key_hash,
    allowed_lanes: columns.allowed_lanes,
    allowed_template_prefixes,
    allowed_company_ids: columns.allowed_company_ids,
    seal_id: columns.seal_id,
    created_at,
  },
  ({ companyId: owner, ...p }) => {
    const isBelowLimit = sql`where (select count(*) from ${service_clients} where ${isOfCompany({ companyId: owner })}) < ${MAX_API_KEYS}`;
    return selectRows(
      publicColumns,
      (selected) =>
        sql`${insertSelect(service_clients, { ...p, owner_company_id: owner, active: true }, isBelowLimit)} returning ${selected}`,
    );
  },
);

/** Statement: delete an API key of a company. Its requests return 401 immediately. */
export const deleteApiKey = statement({ id, companyId: integer }, (p) =>
  queryBuilder.delete(service_clients).where(and(eq(id, p.id), isOfCompany(p))),
);
