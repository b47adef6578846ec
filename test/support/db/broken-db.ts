import type { Db } from "../../../workers/kit/db/db";

/** Wraps a database so that it runs each batch twice, as a caller does after a lost response. */
export function repeatBatches(db: Db): Db {
  const batch: Db["batch"] = async (statements) => {
    await db.batch(statements);
    return db.batch(statements);
  };
  return { ...db, batch };
}

/** Thrown to simulate that a consumer dies: no later call succeeds, as if the isolate had ended. */
export class ConsumerDied extends Error {}

/** Wraps a database so that the consumer dies directly before or after call number `call` (from 1). */
export function breakDb(db: Db, moment: "before" | "after", call: number): Db {
  let calls = 0;
  const guard = async <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1;
    const current = calls;
    if (current > call || (moment === "before" && current === call)) throw new ConsumerDied();
    const result = await run();
    if (moment === "after" && current === call) throw new ConsumerDied();
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
