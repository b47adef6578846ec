import { sha256Hex } from "../crypto/hash";
import type { Databases } from "../db/db";
import { listDefinitions, listTables, type StoredTable } from "./tables.store";

/** What a backup knows of a database: its tables, parents before children, and the hash of their definitions. */
export type Described = { tables: StoredTable[]; schema: string };

/** The tables that a restore fills last: `late` ones, whose triggers read other tables, then those that only triggers fill. */
export type TableOrder = { late: readonly string[]; derived: readonly string[] };

/**
 * Returns the tables of the database in the order in which they can be filled: a table follows those that its foreign keys name, and
 * those of `order` come last.
 */
export async function describeTables({ platformDb }: Databases, { late, derived }: TableOrder): Promise<Described> {
  const { tables, definitions } = await platformDb.batch({ tables: listTables(), definitions: listDefinitions() });
  const ordered: StoredTable[] = [];
  const add = (table: StoredTable): void => {
    if (ordered.includes(table)) return;
    for (const { parent } of table.foreignKeys) {
      const found = tables.rows.find(({ name }) => name === parent);
      if (found !== undefined && found !== table) add(found);
    }
    ordered.push(table);
  };
  const last = [...late, ...derived];
  for (const table of tables.rows) if (!last.includes(table.name)) add(table);
  for (const name of last) {
    const table = tables.rows.find((candidate) => candidate.name === name);
    if (table !== undefined) add(table);
  }
  return { tables: ordered, schema: await sha256Hex(definitions.rows.map(({ definition }) => definition).join("\n")) };
}
