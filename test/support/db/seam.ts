import type { Databases } from "../../../workers/kit/db/db";

const CALLS: readonly PropertyKey[] = ["batch", "first", "all", "run", "from"];

/** Databases over one, with the calls of `platformDb` (`past`) and the companies that `dbOf` was asked for (`asked`). */
export function watchSeam({ platformDb: db }: Databases) {
  const past: PropertyKey[] = [];
  const asked = new Set<number>();
  const platformDb = new Proxy(db, {
    get: (target, name) => {
      if (CALLS.includes(name)) past.push(name);
      return Reflect.get(target, name);
    },
  });
  const dbOf = (companyId: number) => {
    asked.add(companyId);
    return db;
  };
  const databases: Databases = { platformDb, dbOf };
  return { databases, past, asked };
}
