// Wraps a production bundle in a benchmark and counts its calls to the runtime: D1 statements with their read and
// written rows, Durable Object rows, alarms and calls, queue messages, and log lines. The bundle is unchanged, because
// the meter wraps the runtime's objects before the bundle is evaluated.
import "./bindings.ts";
import { shiftClock } from "./clock.ts";
import { activity, count, during, takeEntries } from "./count.ts";
import { ringAlarms } from "./objects.ts";

export { meterObject } from "./objects.ts";

/**
 * Handles the benchmark's requests: `take` returns the entries, `idle` the activity, `shift` sets the clock, and `ring`
 * runs due alarms.
 */
async function answerBench(url: URL): Promise<Response> {
  if (url.pathname.endsWith("/take")) return Response.json(takeEntries());
  if (url.pathname.endsWith("/ring")) return Response.json(await ringAlarms());
  if (url.pathname.endsWith("/shift")) shiftClock(Number(url.searchParams.get("ms")));
  return Response.json(activity);
}

/** Returns the handlers of a Worker, with the paths of the meter in addition to its own. */
export function meterWorker(production: ExportedHandler<never>): ExportedHandler<never> {
  const { fetch, queue, scheduled } = production;
  return {
    fetch: async (request, bound, context) => {
      const url = new URL(request.url);
      if (url.pathname.startsWith("/__meter/")) return answerBench(url);
      count("request", "fetch");
      return during(async () => (await fetch?.(request, bound, context)) ?? new Response(null, { status: 404 }));
    },
    queue: (batch, bound, context) => {
      count("queue batch", batch.queue);
      activity.received += batch.messages.length;
      return during(async () => queue?.(batch, bound, context));
    },
    scheduled: (event, bound, context) => during(async () => scheduled?.(event, bound, context)),
  };
}
