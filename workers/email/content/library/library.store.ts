import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { default_contents, library_templates, library_versions } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import { columnName, insertSelect, jsonEach, queryBuilder } from "../../../kit/db/query";
import { type Bound, statement } from "../../../kit/db/statement";

/** The columns of a built-in design. */
export type LibraryDesign = Pick<
  typeof library_templates.$inferSelect,
  "key" | "set_key" | "name" | "subject" | "preheader" | "document" | "head" | "html" | "text"
>;

/** The default content of an event in a language. `checksum` is the hex SHA-256 of subject, HTML and text, joined by "\n". */
export type LibraryContent = Pick<
  typeof default_contents.$inferSelect,
  "checksum" | "event_type" | "language" | "subject" | "html" | "text"
>;

/** All built-in designs and default contents. `version` is their hash. */
export type Library = { version: string; designs: LibraryDesign[]; contents: LibraryContent[] };

/** Statement: the row of a library version, if it was loaded into this database. */
export const findLibraryVersion = statement({ version: library_versions.version }, (p) =>
  queryBuilder
    .select({ version: library_versions.version })
    .from(library_versions)
    .where(eq(library_versions.version, p.version)),
);

const insertVersion = statement({ version: library_versions.version, now: integer }, (p) =>
  queryBuilder.insert(library_versions).values({ version: p.version, loaded_at: p.now }).onConflictDoNothing(),
);

const contents = json<readonly LibraryContent[]>();

const insertContents = statement({ contents, now: integer }, (p) => {
  const { from, item } = jsonEach(p.contents);
  const values = { ...item, checksum: item.checksum, event_type: item.event_type, language: item.language };
  return insertSelect(
    default_contents,
    { ...values, subject: item.subject, html: item.html, text: item.text, created_at: p.now, current: false },
    sql`from ${from} where true on conflict (checksum) do nothing`,
  );
});

type ContentKey = Pick<LibraryContent, "checksum" | "event_type" | "language">;
const keys = json<readonly ContentKey[]>();

// The statement must run before markContents, because the unique index allows one current content per event and language.
const retireContents = statement({ keys }, (p) => {
  const { from, item } = jsonEach(p.keys);
  return sql`update ${default_contents} set ${columnName(default_contents.current)} = 0 where ${default_contents.checksum} in (
    select c.checksum from ${from} cross join ${default_contents} c on c.event_type = ${item.event_type} and c.language = ${item.language}
      and c.current = 1 where c.checksum <> ${item.checksum})`;
});

const markContents = statement({ keys }, (p) => {
  const { from, item } = jsonEach(p.keys);
  return sql`update ${default_contents} set ${columnName(default_contents.current)} = 1
    where ${default_contents.checksum} in (select ${item.checksum} from ${from}) and ${default_contents.current} = 0`;
});

const designs = json<readonly LibraryDesign[]>();
const { set_key, name: title, subject, preheader, document, head, html, text } = library_templates;
const contentColumns = [set_key, title, subject, preheader, document, head, html, text];
const excluded = (column: AnySQLiteColumn): SQL => sql`excluded.${columnName(column)}`;
const list = (parts: SQL[]): SQL => sql.join(parts, sql`, `);

// Designs keep their ids. An unchanged design keeps its `updated_at`, because the ETag of the list depends on it.
const upsertDesigns = statement({ designs, now: integer }, (p) => {
  const { from, item } = jsonEach(p.designs);
  const texts = { subject: item.subject, preheader: item.preheader, document: item.document, head: item.head };
  const values = { key: item.key, set_key: item.set_key, name: item.name, ...texts, html: item.html, text: item.text };
  const oldValues = list(contentColumns.map((column) => sql`${column}`));
  return insertSelect(
    library_templates,
    { ...values, company_id: null, built_in: true, created_at: p.now, updated_at: p.now },
    sql`from ${from} where true on conflict (key) do update
      set ${list([...contentColumns, library_templates.updated_at].map((column) => sql`${columnName(column)} = ${excluded(column)}`))}
      where (${oldValues}) is not (${list(contentColumns.map(excluded))})`,
  );
});

const deleteOtherDesigns = statement({ keep: json<readonly string[]>() }, (p) =>
  queryBuilder
    .delete(library_templates)
    .where(
      and(
        isNull(library_templates.company_id),
        eq(library_templates.built_in, true),
        sql`${library_templates.key} not in (select value from json_each(${p.keep}))`,
      ),
    ),
);

/**
 * Maximum bytes of JSON per statement. `npm run deploy` sends statements as SQL text, which D1 limits to 100 KB. A larger row
 * gets its own statement.
 */
const CHUNK_BYTES = 60_000;

function chunksOf<T>(rows: readonly T[]): T[][] {
  const chunks: T[][] = [];
  let remaining = 0;
  for (const row of rows) {
    const bytes = new TextEncoder().encode(JSON.stringify(row)).byteLength;
    remaining -= bytes;
    if (remaining < 0) {
      chunks.push([]);
      remaining = CHUNK_BYTES - bytes;
    }
    chunks.at(-1)?.push(row);
  }
  return chunks;
}

/**
 * Returns the statements that store a library and make it current. Run them in one transaction; they are idempotent. Earlier
 * contents are kept for the messages that refer to them.
 */
export function libraryStatements(library: Library, now: number): Bound[] {
  const current = library.contents.map(({ checksum, event_type, language }) => ({ checksum, event_type, language }));
  return [
    ...chunksOf(library.contents).map((chunk) => insertContents({ contents: chunk, now })),
    retireContents({ keys: current }),
    markContents({ keys: current }),
    ...chunksOf(library.designs).map((chunk) => upsertDesigns({ designs: chunk, now })),
    deleteOtherDesigns({ keep: library.designs.map(({ key }) => key) }),
    insertVersion({ version: library.version, now }),
  ];
}
