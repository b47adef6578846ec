import { databaseOf, unknownServiceKeys } from "./public-web.ts";
import type { Script, State } from "./state.ts";

/** Returns what an account has, without the random parts. */
export function inventory(state: State) {
  const scripts = [...state.scripts.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  const identity = scripts.find(({ name }) => name.endsWith("-identity"));
  const rows = (sql: string) => (identity === undefined ? [] : databaseOf(state, identity)?.prepare(sql).all());
  return {
    databases: state.databases.map(({ name }) => name),
    buckets: state.buckets,
    queues: state.queues.map(({ queue_name, consumers }) => [
      queue_name,
      consumers.map(({ consumer_id: _, ...consumer }) => consumer),
    ]),
    scripts: scripts.map(({ name, migrationTag, secrets, crons, versions }) => ({
      name,
      migrationTag,
      crons,
      secrets: [...secrets.keys()].toSorted(),
      bindings: versions.at(-1)?.metadata.bindings?.map(({ id: _, ...binding }) => binding),
    })),
    domains: state.domains.map(({ hostname, service }) => `${hostname} ${service}`).toSorted(),
    routes: state.routes.map(({ pattern, script }) => [pattern, script]),
    people: rows("SELECT email, is_staff FROM users ORDER BY email"),
    members: rows("SELECT company_id, is_owner FROM memberships ORDER BY user_id"),
    servicesWithoutKey: unknownServiceKeys(state),
  };
}

/** Returns the release whose code gets all requests of a Worker, or null while they are split. */
export function runningCode({ versions, deployments }: Script): string | null {
  const [only, second] = deployments[0]?.versions ?? [];
  if (only === undefined || second !== undefined) return null;
  const version = versions.find(({ id }) => id === only.version_id);
  return /release \d/.exec(version?.modules["worker.js"] ?? "")?.[0] ?? null;
}
