import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { library_templates } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import { allColumns, inList, insertSelect, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const l = library_templates;
const columns = allColumns(l);
const { id: _id, ...given } = columns;

const metadata = {
  id: l.id,
  key: l.key,
  set_key: l.set_key,
  name: l.name,
  company_id: l.company_id,
  updated_at: l.updated_at,
  // Of the record's header: no page of a design is read for it.
  bytes: sql`octet_length(${l.html})`.mapWith(integer).as("bytes"),
};
const listed = {
  id: l.id,
  key: l.key,
  set_key: l.set_key,
  name: l.name,
  company_id: l.company_id,
  built_in: l.built_in,
  subject: l.subject,
  preheader: l.preheader,
  updated_at: l.updated_at,
};

const isVisibleTo = (companyId: SQL<number>) => or(isNull(l.company_id), eq(l.company_id, companyId));

/** What a company's library holds, in no order, with the size of each design's HTML. */
export const listMetadata = statement({ companyId: integer }, (p) =>
  selectRows(metadata, (selected) => sql`select ${selected} from ${l} where ${isVisibleTo(p.companyId)}`),
);

const ids = json<readonly number[]>();

/** Templates of the library by their ids, without their designs. */
export const listSummaries = statement({ ids }, (p) => queryBuilder.select(listed).from(l).where(inList(l.id, p.ids)));

/** Templates of the library by their ids, with their HTML. */
export const listComposed = statement({ ids }, (p) =>
  queryBuilder
    .select({ ...listed, html: l.html })
    .from(l)
    .where(inList(l.id, p.ids)),
);

/** A template of the library, whosever it is. */
export const findTemplate = statement({ id: l.id }, (p) => queryBuilder.select(columns).from(l).where(eq(l.id, p.id)));

/** One that a company may see: a built-in one, or its own. */
export const findVisible = statement({ id: l.id, companyId: integer }, (p) =>
  queryBuilder
    .select(columns)
    .from(l)
    .where(and(eq(l.id, p.id), isVisibleTo(p.companyId))),
);

/** The template of a key. */
export const findByKey = statement({ key: l.key }, (p) => queryBuilder.select(columns).from(l).where(eq(l.key, p.key)));

/** Stores a company's template unless it has `max` of them; the one of a repeat is there already. */
export const insertTemplate = statement({ ...given, max: integer }, ({ max, ...p }) =>
  insertSelect(
    l,
    p,
    sql`where (select count(*) from ${l} where ${l.company_id} = ${p.company_id}) < ${max} on conflict (key) do nothing`,
  ),
);

const { name, subject, preheader, document, html, text, updated_at } = l;
const companyDesign = { id: l.id, companyId: integer };

/**
 * Changes a company's template that is still as it was read (`expected`: its updated_at). Its own updated_at always moves on,
 * because lists tell by it whether they changed.
 */
export const updateTemplate = statement(
  { ...companyDesign, name, subject, preheader, document, html, text, expected: updated_at, now: integer },
  (p) =>
    queryBuilder
      .update(l)
      .set({
        name: p.name,
        subject: p.subject,
        preheader: p.preheader,
        document: p.document,
        html: p.html,
        text: p.text,
        updated_at: sql`max(${p.now}, ${p.expected} + 1)`,
      })
      .where(and(eq(l.id, p.id), eq(l.company_id, p.companyId), eq(updated_at, p.expected)))
      .returning(columns),
);

/** Deletes a company's template. */
export const deleteTemplate = statement(companyDesign, (p) =>
  queryBuilder.delete(l).where(and(eq(l.id, p.id), eq(l.company_id, p.companyId))),
);
