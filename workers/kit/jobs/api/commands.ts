import type { CommandSpec } from "../../../../schemas/management/command-spec";
import type { FlagValues } from "../../management/flags";
import type { ManagementCommand } from "../../management/mount";
import { type CommandResult, type CommandStream, RunFailure } from "../../management/stream";
import type { Job, JobServices, JobSet } from "../job";
import { runJob } from "../runs/run";

/**
 * Returns the management commands that run a service's jobs. A command runs the same code under the same lock as the
 * scheduler, with the trigger `command`. `specs` holds the flags by job name.
 */
export function jobCommands<S extends JobServices>(
  set: JobSet<S>,
  specs: readonly CommandSpec[],
): ManagementCommand<S>[] {
  return set.jobs.map((job) => {
    const spec = specs.find(({ name }) => name === job.name);
    if (spec === undefined) throw new Error(`the job has no command: ${job.name}`);
    return { spec, run: (services, flags, stream) => runCommand(services, set, job, flags, stream) };
  });
}

async function runCommand<S extends JobServices>(
  services: S,
  set: JobSet<S>,
  job: Job<S>,
  flags: FlagValues,
  stream: CommandStream,
): Promise<CommandResult> {
  if (flags.dry_run === true) {
    await stream.start(null);
    return { ...(await job.preview(services, flags)), runId: null };
  }
  const end = await runJob(services, set, job, {
    trigger: "command",
    flags,
    withLock: flags.no_lock !== true,
    onStart: stream.start,
    report: stream.report,
  });
  if (end.kind === "skipped") return { summary: "skipped, another run is in progress", counts: {}, runId: null };
  if (end.kind === "failed") throw new RunFailure(end.failure, end.runId);
  return { summary: end.summary, counts: end.counts, runId: end.runId };
}
