// Wraps a production bundle in the bench and counts what it asks of the runtime: statements of D1 with the rows
// they read and wrote, rows of Durable Objects, alarms, calls of objects, messages of queues, log lines. The bundle itself
// knows nothing of it: the runtime's own objects are wrapped before it is evaluated.
import "./bindings.ts";
import { shiftClock } from "./clock.ts";
import { activity, count, during, takeEntries } from "./count.ts";
import { ringAlarms } from "./objects.ts";

export { meterObject } from "./objects.ts";

/** What the bench asks: `take` entries, `idle` or not, `shift` the clock, `ring` due alarms. */
async function answerBench(url: URL): Promise<Response> {
  if (url.pathname.endsWith("/take")) return Response.json(takeEntries());
  if (url.pathname.endsWith("/ring")) return Response.json(await ringAlarms());
  if (url.pathname.endsWith("/shift")) shiftClock(Number(url.searchParams.get("ms")));
  return Response.json(activity);
}

/** The entry of a Worker with the paths of the meter before its own. */
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
