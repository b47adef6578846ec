import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import type { CommandSpec } from "../../../../schemas/management/command-spec";
import { requeueWebhooks } from "../../../../schemas/management/job-commands";
import { timeText } from "../../../../schemas/query";
import { requeueStatuses } from "../../../../schemas/webhooks/subscriptions";
import type { FlagValues } from "../../management/flags";
import type { ManagementCommand } from "../../management/mount";
import { CommandRefusal, type CommandResult, type CommandStream } from "../../management/stream";
import { DAY_MS, iso } from "../../time";
import type { WebhooksContext } from "../context";
import { selectRule } from "../subscriptions/subscription";
import { type RequeueChoice, requeueAll } from "./delivery";

/** Maximum number of calls per command, because the database queries of an invocation are limited. */
const MAX_STEPS = 400;

const choice = lazySchema(() =>
  z.object({
    status: z.enum(requeueStatuses).default("dead"),
    since: timeText().optional(),
    until: timeText().default(Number.MAX_SAFE_INTEGER),
  }),
);

/** Returns the command `requeue_webhooks`, which is the same in every service with webhooks. */
export function requeueCommand<S extends { webhooks: WebhooksContext }>(): ManagementCommand<S> {
  const spec: CommandSpec = requeueWebhooks;
  return { spec, run: ({ webhooks }, flags, stream) => requeueByCommand(webhooks, flags, stream) };
}

async function requeueByCommand(
  context: WebhooksContext,
  { rule: id, dry_run, ...flags }: FlagValues,
  stream: CommandStream,
): Promise<CommandResult> {
  const { data, error } = choice.safeParse(flags);
  if (error) throw new CommandRefusal(`--${String(error.issues[0]?.path[0])} is invalid; see --help`);
  const rule = await context.platformDb.first(selectRule(Number(id)));
  if (rule === null) throw new CommandRefusal(`rule ${id} does not exist`);
  const since = data.since ?? context.clock.now() - 7 * DAY_MS;
  const chosen: RequeueChoice = { ...data, since, dryRun: dry_run === true, after: null };
  let requeued = 0;
  let complete = false;
  for (let step = 0; step < MAX_STEPS && !complete; step++) {
    const done = await requeueAll(context, rule, chosen, {});
    requeued += done.requeued;
    complete = done.complete;
    chosen.after = done.next ?? null;
    stream.report({ requeued, complete });
    // A dry run counts existing deliveries in one call; another call would count the same deliveries again.
    if (chosen.dryRun && done.next === undefined) break;
  }
  const verb = chosen.dryRun ? "would requeue" : "requeued";
  return {
    summary: `${verb}=${requeued} complete=${complete} since=${iso(since)}`,
    counts: { requeued, complete },
    runId: null,
  };
}
