import type { Db } from "../../../workers/kit/db/db";

/** The database whose every batch is run twice, as after an answer that was lost. */
export function repeatBatches(db: Db): Db {
  const batch: Db["batch"] = async (statements) => {
    await db.batch(statements);
    return db.batch(statements);
  };
  return { ...db, batch };
}

/** A consumer that is thrown away: everything after this is as if the isolate had died. */
export class ThrownAway extends Error {}

/** The database with a fault: `before` and `after` the n-th call (from 1) the consumer is thrown away. */
export function breakDb(db: Db, place: "before" | "after", call: number): Db {
  let calls = 0;
  const guard = async <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1;
    const current = calls;
    if (current > call || (place === "before" && current === call)) throw new ThrownAway();
    const result = await run();
    if (place === "after" && current === call) throw new ThrownAway();
    return result;
  };
  return {
    ...db,
    batch: (statements: never) => guard(() => db.batch(statements)),
    first: (statement: never) => guard(() => db.first(statement)),
    all: (statement: never) => guard(() => db.all(statement)),
    run: (statement: never) => guard(() => db.run(statement)),
  } as unknown as Db;
}
