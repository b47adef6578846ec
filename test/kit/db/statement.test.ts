import { env } from "cloudflare:test";
import { and, eq, getTableColumns, inArray, lt, sql } from "drizzle-orm";
import { alias, index, integer as integerColumn, sqliteTable, text as textColumn } from "drizzle-orm/sqlite-core";
import { beforeAll, expect, expectTypeOf, it } from "vitest";
import { openDb } from "../../../workers/kit/db/db";
import { boolean, integer, json, nullable, text } from "../../../workers/kit/db/kind";
import {
  allColumns,
  assignments,
  columnName,
  filterUnlessNull,
  indexedBy,
  insertSelect,
  isInList,
  jsonEach,
  jsonObject,
  leftJoined,
  nullableColumn,
  queryBuilder,
  selectRows,
  tableReference,
} from "../../../workers/kit/db/query";
import { followedBy, statement, unregisteredStatement } from "../../../workers/kit/db/statement";

const things = sqliteTable(
  "things",
  {
    id: integerColumn().primaryKey(),
    owner: integerColumn().notNull(),
    label: textColumn().notNull().default("none"),
    state: textColumn({ enum: ["open", "done"] }).notNull(),
    is_loud: integerColumn({ mode: "boolean" }).notNull(),
    tags: textColumn({ mode: "json" }).$type<string[]>().notNull(),
    note: textColumn(),
    at: integerColumn(),
  },
  (t) => [index("things_open").on(t.owner).where(sql`state = 'open'`)],
);
const notes = sqliteTable("notes", {
  thing: integerColumn().primaryKey(),
  seen: integerColumn({ mode: "boolean" }).notNull(),
});

const insertThing = statement(
  {
    id: things.id,
    owner: things.owner,
    state: things.state,
    loud: things.is_loud,
    tags: things.tags,
    note: things.note,
    at: things.at,
  },
  (p) =>
    queryBuilder
      .insert(things)
      .values({ id: p.id, owner: p.owner, state: p.state, is_loud: p.loud, tags: p.tags, note: p.note, at: p.at })
      .onConflictDoNothing(),
);
const findThing = statement({ id: things.id }, (p) =>
  queryBuilder.select(allColumns(things)).from(things).where(eq(things.id, p.id)),
);
const noteChange = statement({ thing: notes.thing }, (p) =>
  insertSelect(notes, { thing: p.thing, seen: true }, sql`where changes() > 0`),
);
const rename = statement({ id: things.id, label: things.label }, (p) =>
  queryBuilder
    .update(things)
    .set({ label: p.label })
    .where(eq(things.id, p.id))
    .returning({ id: things.id, is_loud: things.is_loud }),
);

const db = openDb(env.DB);
const ten = { id: 10, owner: 1, state: "open", loud: true, tags: ["a", "b"], note: null, at: null } as const;

beforeAll(async () => {
  await env.DB.batch([
    env.DB.prepare(
      `CREATE TABLE things (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, label TEXT NOT NULL DEFAULT 'none',
       state TEXT NOT NULL, is_loud INTEGER NOT NULL, tags TEXT NOT NULL, note TEXT, at INTEGER)`,
    ),
    env.DB.prepare("CREATE INDEX things_open ON things (owner) WHERE state = 'open'"),
    env.DB.prepare("CREATE TABLE notes (thing INTEGER PRIMARY KEY, seen INTEGER NOT NULL)"),
  ]);
  await db.run(insertThing({ ...ten, tags: ["a", "b"] }));
});

it("encodes a value by the mode of its column, and decodes it when read", async () => {
  const row = await db.first(findThing({ id: 10 }));
  expect(row).toEqual({ ...ten, loud: undefined, is_loud: true, label: "none" });
  const stored = await env.DB.prepare("SELECT is_loud, tags, note, at FROM things WHERE id = 10").first();
  expect(stored).toEqual({ is_loud: 1, tags: '["a","b"]', note: null, at: null });
  expectTypeOf(row).toEqualTypeOf<typeof things.$inferSelect | null>();
});

it("encodes and decodes parameters that have a type instead of a column, for every type", async () => {
  const kinds = statement(
    { n: integer, t: text, yes: boolean, no: boolean, o: json<{ a: number }>(), z: nullable(text) },
    (p) =>
      selectRows(
        {
          n: sql`${p.n}`.mapWith(integer),
          t: sql`${p.t}`.mapWith(text),
          yes: sql`${p.yes}`.mapWith(boolean),
          no: sql`${p.no} and 1`.mapWith(boolean),
          o: sql`${p.o}`.mapWith(json<{ a: number }>()),
          a: sql`${p.o} ->> 'a'`.mapWith(integer),
          z: sql`${p.z}`.mapWith(nullable(text)),
        },
        (columns) => sql`select ${columns}`,
      ),
  );
  const row = await db.first(kinds({ n: 7, t: "x", yes: true, no: false, o: { a: 3 }, z: null }));
  expect(row).toEqual({ n: 7, t: "x", yes: true, no: false, o: { a: 3 }, a: 3, z: null });
  expectTypeOf(row?.yes).toEqualTypeOf<boolean | undefined>();
  expectTypeOf(row?.o).toEqualTypeOf<{ a: number } | undefined>();
  expectTypeOf(row?.z).toEqualTypeOf<string | null | undefined>();
});

it("returns the results of a batch by name, with lists and nulls", async () => {
  const { single, several, nothing } = await db.batch({
    single: findThing({ id: 10 }),
    several: [findThing({ id: 10 }), findThing({ id: 11 })],
    nothing: null,
  });
  expect([single.first?.id, several.map(({ rows }) => rows.length), nothing]).toEqual([10, [1, 0], null]);
  expect(await db.batch({})).toEqual({});
});

it("runs a change and the statements that must directly follow it as one entry of a batch, and returns the result of the change", async () => {
  const { renamed, missed } = await db.batch({
    renamed: followedBy(rename({ id: 10, label: "new" }), noteChange({ thing: 10 })),
    missed: followedBy(rename({ id: 99, label: "new" }), noteChange({ thing: 99 })),
  });
  expect([renamed.rows, renamed.changes, missed.rows, missed.changes]).toEqual([[{ id: 10, is_loud: true }], 1, [], 0]);
  const noted = await env.DB.prepare("SELECT thing FROM notes").all();
  expect(noted.results).toEqual([{ thing: 10 }]);
});

it("binds each parameter once, and writes values inside the query as literals", () => {
  const open = statement({ owner: things.owner }, (p) =>
    queryBuilder
      .select({ isOwner: sql`${things.owner} = ${p.owner}`.mapWith(boolean) })
      .from(things)
      .where(
        and(eq(things.owner, p.owner), inArray(things.state, ["open"]), eq(things.is_loud, true), lt(things.at, 5)),
      ),
  );
  expect(open.text).toBe(
    'select "things"."owner" = ?1 as "isOwner" from "things" where ("things"."owner" = ?1 and "things"."state" in (\'open\') and ' +
      '"things"."is_loud" = 1 and "things"."at" < 5)',
  );
});

it("qualifies columns in an expression, so that a subquery does not capture columns of the outer query", async () => {
  const t = alias(things, "t");
  const countOfOwner = statement({ id: things.id }, (p) =>
    queryBuilder
      .select({
        n: sql`(select count(*) from ${tableReference(t)} where ${t.owner} = ${things.owner})`.mapWith(integer),
      })
      .from(things)
      .where(eq(things.id, p.id)),
  );
  await db.run(insertThing({ ...ten, id: 40, owner: 7, tags: [] }));
  expect(await db.first(countOfOwner({ id: 40 }))).toEqual({ n: 1 });
  await env.DB.prepare("DELETE FROM things WHERE id = 40").run();
});

it("inserts only the columns with a value, so that the database fills in the defaults", () => {
  const add = statement({ owner: things.owner }, (p) =>
    queryBuilder.insert(things).values({ owner: p.owner, state: "open", is_loud: false, tags: [] }),
  );
  expect(add.text).toBe(`insert into "things" ("owner", "state", "is_loud", "tags") values (?1, 'open', 0, '[]')`);
});

it("binds a list as one parameter, and reads aliases, joins, limits and lists", async () => {
  const t = alias(things, "t");
  const n = alias(notes, "n");
  type NoisyThing = { id: number; loud: boolean };
  const findMany = statement({ things: json<NoisyThing[]>(), limit: integer }, (p) => {
    const requested = jsonEach(p.things);
    return selectRows(
      {
        id: t.id,
        ...leftJoined({ seen: n.seen }),
        tags: nullableColumn(t.tags),
        loud: requested.item.loud.mapWith(boolean),
      },
      (
        columns,
      ) => sql`select ${columns} from ${requested.from} join ${tableReference(t)} on ${t.id} = ${requested.item.id}
        left join ${tableReference(n)} on ${n.thing} = ${t.id} and ${n.thing} <> 10 limit ${p.limit}`,
    );
  });
  const noisy = await db.all(
    findMany({
      things: [
        { id: 10, loud: false },
        { id: 11, loud: true },
      ],
      limit: 5,
    }),
  );
  expect(noisy).toEqual([{ id: 10, seen: null, tags: ["a", "b"], loud: false }]);
  expectTypeOf(noisy).toEqualTypeOf<{ id: number; seen: boolean | null; tags: string[] | null; loud: boolean }[]>();
  const among = statement({ ids: json<readonly number[]>() }, (p) =>
    queryBuilder.select({ id: things.id }).from(things).where(isInList(things.id, p.ids)),
  );
  expect(await db.all(among({ ids: [9, 10] }))).toEqual([{ id: 10 }]);
  const open = statement({ owner: nullable(integer) }, (p) =>
    selectRows(
      { facts: jsonObject({ id: t.id, label: t.label }).mapWith(json<{ id: number; label: string }>()) },
      (columns) => sql`select ${columns} from ${indexedBy(t, "things_open")}
        where ${eq(t.state, "open")} and ${t.owner} > 0 and ${filterUnlessNull(p.owner, eq(t.owner, p.owner))}`,
    ),
  );
  expect(open.text).toContain('"things" "t" indexed by "things_open"');
  const facts = { id: 10, label: (await db.first(findThing({ id: 10 })))?.label };
  expect([await db.all(open({ owner: null })), await db.all(open({ owner: 2 }))]).toEqual([[{ facts }], []]);
  const page = statement({ limit: integer, offset: integer }, (p) =>
    queryBuilder.select({ thing_id: things.id }).from(things).orderBy(things.id).limit(p.limit).offset(p.offset),
  );
  expect(await db.all(page({ limit: 5, offset: 0 }))).toEqual([{ thing_id: 10 }]);
});

it("encodes expressions, literals and parameters in an SQL template by their columns", async () => {
  const copyTags = statement({ id: things.id, tags: things.tags }, (p) =>
    insertSelect(
      things,
      {
        id: p.id,
        owner: things.owner,
        state: "done",
        is_loud: false,
        tags: p.tags,
        label: sql`${things.label} || '!'`,
      },
      sql`from ${things} where ${things.id} = 10`,
    ),
  );
  const mark = statement({ id: things.id }, (p) =>
    selectRows(
      { at: things.at },
      (
        columns,
      ) => sql`update ${things} set ${assignments(things, { is_loud: true, at: sql`coalesce(${columnName(things.at)}, 0) + 1` })}
        where ${columnName(things.id)} = ${p.id} returning ${columns}`,
    ),
  );
  const { copied, marked, copiedThing } = await db.batch({
    copied: copyTags({ id: 20, tags: ["c"] }),
    marked: mark({ id: 20 }),
    copiedThing: findThing({ id: 20 }),
  });
  expect([copied.changes, marked.rows]).toEqual([1, [{ at: 1 }]]);
  expect(copiedThing.first).toMatchObject({ state: "done", is_loud: true, tags: ["c"], at: 1, note: null });
  expect(Object.keys(getTableColumns(things))).toEqual(Object.keys(copiedThing.first ?? {}));
});

it("finds every column of a table after another declaration of the table was used", () => {
  const part = sqliteTable("things", { id: integerColumn().primaryKey() });
  const partUpdate = statement({}, () => queryBuilder.update(part).set({ id: 1 }));
  const fullUpdate = statement({}, () =>
    queryBuilder
      .update(things)
      .set({ note: null })
      .where(inArray(part.id, [1])),
  );
  expect(partUpdate.text).toBe('update "things" set "id" = 1');
  expect(fullUpdate.text).toBe('update "things" set "note" = null where "things"."id" in (1)');
  const mixedSelect = statement({}, () => sql`select ${part.id}, ${things.note} from ${part}`);
  expect(mixedSelect.text).toBe('select "things"."id", "things"."note" from "things"');
});

it("rejects, at the first call, a statement whose results cannot be read or whose parameters are wrong", () => {
  const duplicateColumn = statement({}, () =>
    queryBuilder.select({ a: sql`1`.mapWith(integer), b: sql`2`.mapWith(integer).as("a") }).from(things),
  );
  const untyped = statement({}, () => selectRows({ n: sql<number>`count(*)` }, (c) => sql`select ${c} from ${things}`));
  const value = statement({}, () => sql`select ${sql.placeholder("id")}`);
  const unused = statement({ id: things.id }, () => sql`select 1`);
  expect(() => duplicateColumn()).toThrow(/two results are named "a" in .*select/);
  expect(() => untyped()).toThrow(/"n" has no type/);
  expect(() => value()).toThrow("a value is not a declared parameter");
  expect(() => unused({ id: 1 })).toThrow("unused parameters: id");
});

it("rejects a number that is joined to a text, because D1 binds numbers as REAL", () => {
  const joined = unregisteredStatement({ id: integer }, (p) =>
    selectRows({ key: sql`key`.mapWith(text) }, () => sql`select 'thing:' || ${p.id} as key`),
  );
  expect(() => joined({ id: 1 })).toThrow("cast the number to integer");
  const cast = unregisteredStatement({ id: integer }, (p) =>
    selectRows({ key: sql`key`.mapWith(text) }, () => sql`select 'thing:' || cast(${p.id} as integer) as key`),
  );
  expect(cast({ id: 1 }).parts[0]?.text).toBe("select 'thing:' || cast(?1 as integer) as key");
});

it("compiles statements only with the correct parameter names and types", () => {
  // Never called: this test only checks what compiles.
  const wrong = () => {
    // @ts-expect-error a missing parameter
    findThing({});
    // @ts-expect-error an unknown parameter
    findThing({ id: 1, other: 2 });
    // @ts-expect-error a text for a number
    findThing({ id: "1" });
    // @ts-expect-error a number for a boolean
    insertThing({ ...ten, tags: [], loud: 1 });
    // @ts-expect-error a text that is not a state
    insertThing({ ...ten, tags: [], state: "nonsense" });
    // @ts-expect-error null for a column that is never null
    rename({ id: 1, label: null });
    // @ts-expect-error a column that the table lacks
    insertSelect(notes, { thing: 1, seen: true, unknown: 1 }, sql``);
    // @ts-expect-error a column without default is missing
    insertSelect(notes, { thing: 1 }, sql``);
  };
  expect(wrong).toBeTypeOf("function");
});
