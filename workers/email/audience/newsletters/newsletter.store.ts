import { and, eq, type SQL, sql } from "drizzle-orm";
import { broadcasts, deleted_newsletters, newsletters, subscribers, templates } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { boolean, integer, nullable } from "../../../kit/db/kind";
import { allColumns, assignments, insertSelect, queryBuilder, selectRows } from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";

const columns = allColumns(newsletters);
const { id, company_id, name } = newsletters;

/** Statement: the newsletter with this id. */
export const findNewsletter = statement({ id }, (p) =>
  queryBuilder.select(columns).from(newsletters).where(eq(id, p.id)),
);

/** Statement: the newsletters of a company after a position, by name and id. */
export const listNewsletters = statement({ companyId: company_id, afterName: name, afterId: id, limit: integer }, (p) =>
  queryBuilder
    .select(columns)
    .from(newsletters)
    .where(and(eq(company_id, p.companyId), sql`(${name}, ${id}) > (${p.afterName}, ${p.afterId})`))
    .orderBy(name, id)
    .limit(p.limit),
);

const {
  id: _id,
  confirmation_template_id: _template,
  pending: _pending,
  confirmed: _confirmed,
  unsubscribed: _unsubscribed,
  confirm_at: _confirmAt,
  created_at: _created,
  updated_at: _updated,
  ...inputColumns
} = columns;

/** Statement: insert a newsletter for the stored custom template with `key`. */
const insertNewsletter = statement(
  { ...inputColumns, key: templates.template_key, now: integer },
  ({ key, now, ...p }) =>
    insertSelect(
      newsletters,
      { ...p, confirmation_template_id: templates.id, created_at: now, updated_at: now },
      sql`from ${templates} where ${templates.template_key} = ${key} on conflict do nothing`,
    ),
);

const findByKey = statement({ publicKey: newsletters.public_key }, (p) =>
  queryBuilder.select(columns).from(newsletters).where(eq(newsletters.public_key, p.publicKey)),
);

/** A newsletter to create. `key` is the key of its custom template. */
export type NewNewsletter = Parameters<typeof insertNewsletter>[0];

/**
 * Stores the template of a newsletter, the newsletter and the audit entry. Returns the newsletter, or null when the template
 * statements stored nothing. A repeated call stores nothing.
 */
export async function storeNewsletter(db: Db, template: Bound[], row: NewNewsletter, entry: Bound) {
  const { stored } = await db.batch({
    template,
    created: followedBy(insertNewsletter(row), entry),
    stored: findByKey({ publicKey: row.public_key }),
  });
  return stored.first;
}

/** The columns that a change can set. Null keeps the stored value. */
const changeable = {
  name: nullable(newsletters.name),
  description: nullable(newsletters.description),
  public_key: nullable(newsletters.public_key),
  default_language: nullable(newsletters.default_language),
  allowed_origins: nullable(newsletters.allowed_origins),
  confirmed_redirect_url: nullable(newsletters.confirmed_redirect_url),
  turnstile_site_key: nullable(newsletters.turnstile_site_key),
};

const update = statement(
  {
    id,
    companyId: company_id,
    ...changeable,
    setsSecret: boolean,
    turnstile_secret_enc: newsletters.turnstile_secret_enc,
    now: integer,
  },
  (p) => {
    const keep = (column: SQL | (typeof columns)[keyof typeof changeable], value: SQL) =>
      sql`coalesce(${value}, ${column})`;
    const change = assignments(newsletters, {
      name: keep(columns.name, p.name),
      description: keep(columns.description, p.description),
      public_key: keep(columns.public_key, p.public_key),
      default_language: keep(columns.default_language, p.default_language),
      allowed_origins: keep(columns.allowed_origins, p.allowed_origins),
      confirmed_redirect_url: keep(columns.confirmed_redirect_url, p.confirmed_redirect_url),
      turnstile_site_key: keep(columns.turnstile_site_key, p.turnstile_site_key),
      turnstile_secret_enc: sql`iif(${p.setsSecret}, ${p.turnstile_secret_enc}, ${columns.turnstile_secret_enc})`,
      updated_at: p.now,
    });
    return sql`update ${newsletters} set ${change} where ${id} = ${p.id} and ${company_id} = ${p.companyId}`;
  },
);

/** The changes of a newsletter. Null keeps the stored value; the Turnstile secret changes only with `setsSecret`. */
export type StoredChange = Omit<Parameters<typeof update>[0], "id" | "companyId" | "now">;

/** Changes a newsletter and stores the audit entry. Returns the changed newsletter, or null when it does not exist. */
export async function changeNewsletter(
  db: Db,
  { id: rowId, company_id: companyId }: { id: number; company_id: number },
  change: StoredChange,
  { entry, now }: { entry: Bound; now: number },
) {
  const { row } = await db.batch({
    changed: followedBy(update({ id: rowId, companyId, ...change, now }), entry),
    row: findNewsletter({ id: rowId }),
  });
  return row.first;
}

// A broadcast in one of these states still reads the subscribers of the newsletter, or writes to them.
const isInUse = (listId: SQL<number>) => sql`exists (select 1 from ${broadcasts} where ${broadcasts.list_id} = ${listId}
  and ${broadcasts.state} in ('scheduled', 'queued', 'preparing', 'sending', 'paused'))`;

const scope = { id, companyId: company_id };

const insertDeleted = statement({ ...scope, now: integer }, (p) =>
  insertSelect(
    deleted_newsletters,
    { id, company_id, deleted_at: p.now },
    sql`from ${newsletters} where ${id} = ${p.id} and ${company_id} = ${p.companyId} and not ${isInUse(p.id)} on conflict do nothing`,
  ),
);

const isDeleted = (listId: SQL<number>) =>
  sql`exists (select 1 from ${deleted_newsletters} where ${deleted_newsletters.id} = ${listId})`;

const deleteRow = statement(
  scope,
  (p) =>
    sql`delete from ${newsletters} where ${id} = ${p.id} and ${company_id} = ${p.companyId} and ${isDeleted(p.id)}`,
);

const hideTemplate = statement(
  { id, templateId: templates.id, now: integer },
  (p) => sql`update ${templates} set ${assignments(templates, { hidden_at: p.now })}
    where ${templates.id} = ${p.templateId} and ${templates.hidden_at} is null and ${isDeleted(p.id)}`,
);

/** Maximum number of subscribers that one statement deletes. */
const DELETE_SIZE = 2000;

const deleteSubscribers = statement(
  { id },
  (p) => sql`delete from ${subscribers} where ${subscribers.id} in (select ${subscribers.id} from ${subscribers}
    where ${subscribers.list_id} = ${p.id} and ${isDeleted(p.id)} limit ${DELETE_SIZE})`,
);

const finish = statement(
  { id },
  (p) => sql`delete from ${deleted_newsletters} where ${deleted_newsletters.id} = ${p.id}
    and not exists (select 1 from ${subscribers} where ${subscribers.list_id} = ${p.id})`,
);

const findDeleted = statement({ id: deleted_newsletters.id }, (p) =>
  queryBuilder.select({ id: deleted_newsletters.id }).from(deleted_newsletters).where(eq(deleted_newsletters.id, p.id)),
);

const removal = (rowId: number) => ({
  subscribers: deleteSubscribers({ id: rowId }),
  finished: finish({ id: rowId }),
  open: findDeleted({ id: rowId }),
});

/**
 * Deletes a newsletter with its first subscribers, hides its template and stores the audit entry. Returns whether subscribers are
 * left, or the reason why nothing was deleted.
 */
export async function deleteNewsletter(
  db: Db,
  { id: rowId, company_id: companyId, templateId }: { id: number; company_id: number; templateId: number },
  { entry, now }: { entry: Bound; now: number },
): Promise<{ hasMore: boolean } | "missing" | "in_use"> {
  const { deleted, row, open } = await db.batch({
    marked: insertDeleted({ id: rowId, companyId, now }),
    deleted: followedBy(deleteRow({ id: rowId, companyId }), entry),
    row: findNewsletter({ id: rowId }),
    template: hideTemplate({ id: rowId, templateId, now }),
    ...removal(rowId),
  });
  if (row.first !== null) return "in_use";
  return deleted.changes === 0 ? "missing" : { hasMore: open.first !== null };
}

/** Deletes the next subscribers of a deleted newsletter. Returns whether subscribers are left. */
export async function deleteNextSubscribers(db: Db, rowId: number): Promise<boolean> {
  return (await db.batch(removal(rowId))).open.first !== null;
}

/** Statement: the deleted newsletters whose subscribers are still stored, at most 100. */
export const findDeletedNewsletters = statement({ before: integer }, (p) => {
  const { id: deletedId, company_id: companyId, deleted_at } = deleted_newsletters;
  return selectRows(
    { id: deletedId, company_id: companyId },
    (selected) =>
      sql`select ${selected} from ${deleted_newsletters} where ${deletedId} > 0 and ${deleted_at} <= ${p.before} order by ${deletedId} limit 100`,
  );
});
