import type { FlagValues } from "../../management/flags";
import { type Counts, hourly, type Job, type JobRun, type JobServices, listCounts } from "../job";
import { type PurgeTarget, precedentOf, removalOf, workStatements } from "./purge.store";
import { type ScannedTarget, scannedRanges, scannedTarget, sliceOf } from "./purge-scan.store";

/** The result of one step of a target. `isLast` is true when no rows are left. */
type Step = { removed: number; isLast: boolean };
type Slice<Services> = { services: Services; run: JobRun; limit: number };
/** A target with its steps. Each step executes `statements` statements; steps repeat until one returns `isLast`. */
type Removable<Services> = { name: string; statements: number; steps: (slice: Slice<Services>) => () => Promise<Step> };

const JOB = "purge_expired_data";
/** Maximum number of deletions in one run, because an invocation may make at most 1,000 queries. */
const MAX_STATEMENTS = 900;

/**
 * Returns the job `purge_expired_data`; call it at module level. One SELECT finds the targets with work. The job then
 * processes them in order and deletes `batch_size` rows per statement.
 */
export function purgeJob<S extends JobServices>(purged: readonly (PurgeTarget<S> | ScannedTarget<S>)[]): Job<S> {
  const removable = purged.map((target) => (isScanned(target) ? scannedRemoval(target) : removal(target)));
  const targets = purged.map((target) => (isScanned(target) ? scannedTarget(target) : target));
  const { findWork, countWork } = workStatements(targets);
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
      const work = await services.platformDb.first(findWork(allBounds(services, run.startedAt)));
      const due = removable.filter(({ name }) => work?.[name]);
      const { deleted, complete } = await removeAll(services, due, run, flags, toCounts);
      return { ...toCounts(deleted), complete };
    },
    preview: async (services) => {
      const { platformDb, clock } = services;
      const counts = toCounts((await platformDb.first(countWork(allBounds(services, clock.now())))) ?? {});
      return { summary: `would delete ${listCounts(counts)}`, counts };
    },
  };
}

const isScanned = <S>(target: PurgeTarget<S> | ScannedTarget<S>): target is ScannedTarget<S> => "isExpired" in target;

/** Returns the steps of a target whose rows are found by an index. */
function removal<S extends JobServices>(target: PurgeTarget<S>): Removable<S> {
  const precede = precedentOf(JOB, target);
  const remove = removalOf(JOB, target);
  return {
    name: target.name,
    statements: precede === null ? 1 : 2,
    steps: ({ services, run, limit }) => {
      const { resumesAt, cascades } = target;
      let bounds = target.bounds(services, run.startedAt);
      return async () => {
        const part = { bounds, limit, fence: run.fence };
        const { removal } = await services.platformDb.batch({
          preceding: precede?.(part) ?? null,
          removal: remove(part),
        });
        const { rows, changes } = removal;
        const removed = cascades ? rows.length : changes;
        const isLast = removed < limit;
        if (resumesAt && !isLast) bounds = { ...bounds, [resumesAt.bound]: Math.max(...rows.map(({ at }) => at)) };
        return { removed, isLast };
      };
    },
  };
}

/** Returns the steps of a target whose rows are found by scanning the key in slices. */
function scannedRemoval<S extends JobServices>(target: ScannedTarget<S>): Removable<S> {
  const slice = sliceOf(JOB, target);
  return {
    name: target.name,
    statements: 2,
    steps: ({ services, run, limit }) => {
      const bounds = target.bounds(services, run.startedAt);
      const ranges = scannedRanges(target, run.startedAt);
      return async () => {
        const [range] = ranges;
        if (range === undefined) return { removed: 0, isLast: true };
        const part = { bounds, limit, ...range };
        const { last, removed } = await services.platformDb.batch({
          last: slice.last(part),
          removed: slice.remove({ ...part, fence: run.fence }),
        });
        const after = last.first?.last ?? null;
        if (after === null) ranges.shift();
        else range.after = after;
        return { removed: removed.changes, isLast: ranges.length === 0 };
      };
    },
  };
}

/**
 * Deletes the rows of one target after the other, until none are left or the run has used up its time or statements.
 */
async function removeAll<S extends JobServices>(
  services: S,
  targets: readonly Removable<S>[],
  run: JobRun,
  flags: FlagValues,
  toCounts: (rows: Record<string, number>) => Counts,
): Promise<{ deleted: Record<string, number>; complete: boolean }> {
  const { clock } = services;
  const limit = Number(flags.batch_size);
  const maxMs = Number(flags.max_seconds) * 1000;
  const deadline = Math.min(maxMs > 0 ? run.startedAt + maxMs : Number.POSITIVE_INFINITY, run.stopAt);
  const deleted: Record<string, number> = {};
  let executed = 0;
  for (const { name, statements, steps } of targets) {
    const step = steps({ services, run, limit });
    for (let isLast = false; !isLast; ) {
      if (clock.now() >= deadline || executed >= MAX_STATEMENTS) return { deleted, complete: false };
      executed += statements;
      const done = await step();
      deleted[name] = (deleted[name] ?? 0) + done.removed;
      run.report(toCounts(deleted));
      isLast = done.isLast;
    }
  }
  return { deleted, complete: true };
}
