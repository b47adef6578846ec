import type { FlagValues } from "../management/flags";
import { type Counts, hourly, type Job, type JobRun, type JobServices, listCounts } from "./job";
import { type PurgeTarget, removalOf, surveyOf } from "./purge.store";

type Removable<Services> = PurgeTarget<Services> & { remove: ReturnType<typeof removalOf> };

const JOB = "purge_expired_data";
/** Deletions of one run: an invocation may make 1000 queries. */
const MAX_STATEMENTS = 900;

/**
 * The job `purge_expired_data` over `targets`, in their order: one SELECT finds out whether there is anything to do, then
 * each target loses `batch_size` rows a statement. Call at module level.
 */
export function purgeJob<S extends JobServices>(targets: readonly PurgeTarget<S>[]): Job<S> {
  const removable = targets.map((target) => ({ ...target, remove: removalOf(JOB, target) }));
  const { findWork, countWork } = surveyOf(targets);
  const counted = targets.filter(({ isCounted }) => isCounted !== false).map(({ name }) => name);
  const toCounts = (rows: Record<string, number>) => Object.fromEntries(counted.map((name) => [name, rows[name] ?? 0]));
  const allBounds = (services: S, now: number) => ({
    bounds: Object.fromEntries(targets.map((target) => [target.name, target.bounds(services, now)])),
  });

  return {
    name: JOB,
    schedule: hourly,
    overdueAfterSeconds: 8100,
    lockSeconds: 900,
    counts: counted,
    scheduledFlags: { batch_size: 2000, max_seconds: 300 },
    summarize: (counts) => `deleted ${listCounts(counts)}`,
    run: async (services, run, flags) => {
      const work = await services.db.first(findWork(allBounds(services, run.startedAt)));
      const due = removable.filter(({ name }) => work?.[name]);
      const { deleted, complete } = await removeAll(services, due, run, flags, toCounts);
      return { ...toCounts(deleted), complete };
    },
    preview: async (services) => {
      const { db, clock } = services;
      const counts = toCounts((await db.first(countWork(allBounds(services, clock.now())))) ?? {});
      return { summary: `would delete ${listCounts(counts)}`, counts };
    },
  };
}

/** Deletes target by target until nothing is left, or until time or statements of the run are used up. */
async function removeAll<S extends JobServices>(
  services: S,
  targets: readonly Removable<S>[],
  run: JobRun,
  flags: FlagValues,
  toCounts: (rows: Record<string, number>) => Counts,
): Promise<{ deleted: Record<string, number>; complete: boolean }> {
  const { db, clock } = services;
  const limit = Number(flags.batch_size);
  const maxMs = Number(flags.max_seconds) * 1000;
  const deadline = Math.min(maxMs > 0 ? run.startedAt + maxMs : Number.POSITIVE_INFINITY, run.stopAt);
  const deleted: Record<string, number> = {};
  let statements = 0;
  for (const { name, cascades, walks, remove, ...target } of targets) {
    let bounds = target.bounds(services, run.startedAt);
    for (;;) {
      if (clock.now() >= deadline || statements >= MAX_STATEMENTS) return { deleted, complete: false };
      statements += 1;
      const { rows, changes } = await db.run(remove({ bounds, limit, fence: run.fence }));
      const removed = cascades ? rows.length : changes;
      deleted[name] = (deleted[name] ?? 0) + removed;
      run.report(toCounts(deleted));
      if (removed < limit) break;
      if (walks) bounds = { ...bounds, [walks.bound]: Math.max(...rows.map(({ at }) => at)) };
    }
  }
  return { deleted, complete: true };
}
