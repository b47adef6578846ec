import type { Databases } from "../../../workers/kit/db/db";

const CALLS: readonly PropertyKey[] = ["batch", "first", "all", "run", "from"];

/**
 * Wraps databases and records the methods called on `platformDb` (`platformCalls`) and the company ids passed to `dbOf`
 * (`requestedCompanies`).
 */
export function watchSeam({ platformDb: db }: Databases) {
  const platformCalls: PropertyKey[] = [];
  const requestedCompanies = new Set<number>();
  const platformDb = new Proxy(db, {
    get: (target, name) => {
      if (CALLS.includes(name)) platformCalls.push(name);
      return Reflect.get(target, name);
    },
  });
  const dbOf = (companyId: number) => {
    requestedCompanies.add(companyId);
    return db;
  };
  const databases: Databases = { platformDb, dbOf };
  return { databases, platformCalls, requestedCompanies };
}
