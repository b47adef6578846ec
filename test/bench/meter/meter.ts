// Wraps a production bundle in a benchmark and counts its calls to the runtime: D1 statements with their read and
// written rows, Durable Object rows, alarms and calls, queue messages, and log lines. The bundle is unchanged, because
// the meter wraps the runtime's objects before the bundle is evaluated.
import "./bindings.ts";
import { shiftClock } from "./clock.ts";
import { activity, count, recordDuration, takeDurations, takeEntries, trackActivity } from "./count.ts";
import { runDueAlarms } from "./objects.ts";

export { meterObject } from "./objects.ts";

/**
 * Handles the benchmark's requests: `take` returns the entries, `durations` those of queue batches, `idle` the activity, `shift` sets the clock, and `alarms`
 * runs due alarms.
 */
async function handleMeterRequest(url: URL): Promise<Response> {
  if (url.pathname.endsWith("/take")) return Response.json(takeEntries());
  if (url.pathname.endsWith("/durations")) return Response.json(takeDurations());
  if (url.pathname.endsWith("/alarms")) return Response.json(await runDueAlarms());
  if (url.pathname.endsWith("/shift")) shiftClock(Number(url.searchParams.get("ms")));
  return Response.json(activity);
}

/** Returns the handlers of a Worker, with the paths of the meter in addition to its own. */
export function meterWorker(production: ExportedHandler<never>): ExportedHandler<never> {
  const { fetch, queue, scheduled } = production;
  return {
    fetch: async (request, bound, context) => {
      const url = new URL(request.url);
      if (url.pathname.startsWith("/__meter/")) return handleMeterRequest(url);
      count("request", "fetch");
      return trackActivity(async () => (await fetch?.(request, bound, context)) ?? new Response(null, { status: 404 }));
    },
    queue: (batch, bound, context) => {
      count("queue batch", batch.queue);
      activity.received += batch.messages.length;
      return trackActivity(async () => {
        const startedAt = performance.now();
        await queue?.(batch, bound, context);
        recordDuration(performance.now() - startedAt);
      });
    },
    scheduled: (event, bound, context) => trackActivity(async () => scheduled?.(event, bound, context)),
  };
}
