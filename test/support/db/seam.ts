import type { Databases } from "../../../workers/kit/db/db";

const CALLS: readonly PropertyKey[] = ["batch", "first", "all", "run", "from"];

/**
 * Wraps databases and records the methods called on `platformDb` (`past`) and the company ids passed to `dbOf`
 * (`asked`).
 */
export function watchSeam({ platformDb: db }: Databases) {
  const past: PropertyKey[] = [];
  const requestedCompanies = new Set<number>();
  const platformDb = new Proxy(db, {
    get: (target, name) => {
      if (CALLS.includes(name)) past.push(name);
      return Reflect.get(target, name);
    },
  });
  const dbOf = (companyId: number) => {
    requestedCompanies.add(companyId);
    return db;
  };
  const databases: Databases = { platformDb, dbOf };
  return { databases, past, asked: requestedCompanies };
}
