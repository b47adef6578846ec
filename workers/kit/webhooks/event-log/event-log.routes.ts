import { PLATFORM } from "../../../../db/kit/webhooks";
import { pageSchema } from "../../../../schemas/page";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { eventTypesSchema } from "../../../../schemas/webhooks/catalog";
import { deliverySchema } from "../../../../schemas/webhooks/deliveries";
import {
  eventFilterOf,
  eventQueryOf,
  eventSchema,
  replayBody,
  retentionSchema,
} from "../../../../schemas/webhooks/event-log";
import { bodyOf, type ReadInput } from "../../http/call";
import { jsonResponse } from "../../http/openapi/responses";
import { presentPage } from "../../http/paging/page";
import { parse } from "../../http/request/parse";
import { rowIdOf } from "../../http/request/path-id";
import { Problem } from "../../problem";
import { iso } from "../../time";
import { API_PREFIX, companyOf, countMutation } from "../access/operations";
import type { WebhookCall, WebhookCaller, WebhookEnv, WebhooksApi, WebhooksServices } from "../api";
import { replay } from "../deliveries/delivery";
import { presentDelivery } from "../deliveries/delivery.present";
import { presentEvent, presentEventTypes } from "../events/event.present";
import { openEvent } from "../events/sealed-body";
import { type EventRow, isStale, oldestTime, selectEvent, selectEvents } from "./event-log";
import { readEventPage, toEventPage } from "./log-list";

const common = { tags: ["Events"], role: "owner" } as const;

/** Mounts the event log of a company under each of its paths, and the endpoint that replays an event. */
export function mountEventLog<S extends WebhooksServices, E extends WebhookEnv<S>>(
  call: WebhookCall<S, E>,
  api: WebhooksApi<S>,
): void {
  for (const path of [...(api.eventLogPaths ?? []), `${API_PREFIX}/event-log`]) mountReads(call, api, path);
  call(
    {
      ...common,
      ...eventOf(api),
      method: "post",
      path: `${API_PREFIX}/event-log/{id}/replay`,
      summary: "Send a logged event to a webhook without a delivery of it",
      permit: countMutation,
      body: bodyOf(replayBody),
      responses: { 201: jsonResponse(deliverySchema, "The delivery") },
      errorCodes: ["conflict"],
    },
    async ({ c, services, caller, scope, row, body }) =>
      c.json(presentDelivery(await replay(services.webhooks, row, body.action_rule_id, scope), caller.isStaff), 201),
  );
}

function mountReads<S extends WebhooksServices, E extends WebhookEnv<S>>(
  call: WebhookCall<S, E>,
  api: WebhooksApi<S>,
  path: string,
): void {
  const { catalog, eventLog } = api;
  const types = catalog.events.map(({ type }) => type);
  const filter = eventFilterOf((type) => types.includes(type), eventLog);
  call(
    {
      ...common,
      method: "get",
      path,
      summary: "List the events of a company, newest first",
      query: eventQueryOf(filter, types),
      permit: ({ caller, request }) => {
        const isPlatform = new URL(request.url).searchParams.get("scope") === "platform";
        if (isPlatform && !caller.isStaff) throw new Problem("forbidden");
      },
      input: ({ query }) => ({ page: readEventPage(query), filterValues: parse(filter, query) }),
      reads: ({ input: { filterValues, page }, ...readInput }) =>
        selectEvents(eventLog, filterValues.scope === "platform" ? PLATFORM : companyOf(readInput), filterValues, page),
      responses: { 200: jsonResponse(pageSchema(eventSchema), "A page") },
    },
    async ({ c, services, input, results }) => {
      const page = toEventPage(input.page, results);
      const opened = await Promise.all(page.rows.map((row) => openEvent(services.webhooks, row, { isListed: true })));
      return c.json(presentPage(input.page, { ...page, rows: opened }, (event) => presentEvent(event, catalog)));
    },
  );
  call(
    {
      ...common,
      method: "get",
      path: `${path}/types`,
      summary: "List the event types",
      query: companyQuery,
      responses: { 200: jsonResponse(eventTypesSchema, "The types") },
    },
    ({ c, caller }) => c.json(presentEventTypes(catalog, caller.isStaff)),
  );
  call(
    {
      ...common,
      method: "get",
      path: `${path}/retention`,
      summary: "Get the retention of events",
      query: companyQuery,
      reads: (readInput) => ({ oldest: eventLog.oldest({ company: companyOf(readInput) }) }),
      responses: { 200: jsonResponse(retentionSchema, "The retention") },
    },
    ({ c, services, scope, results }) => {
      const oldest = oldestTime(results.oldest.first?.oldest);
      return c.json({
        data_retention_days: scope.retentionDays,
        oldest_event_at: iso(oldest),
        stale_events: isStale(oldest, scope.retentionDays, services.webhooks.clock.now()),
      });
    },
  );
  call(
    {
      ...common,
      ...eventOf(api),
      method: "get",
      path: `${path}/{id}`,
      summary: "Get an event",
      responses: { 200: jsonResponse(eventSchema, "The event") },
    },
    async ({ c, services, row }) =>
      c.json(presentEvent(await openEvent(services.webhooks, row, { isListed: false }), catalog)),
  );
}

type EventLookup = { caller: WebhookCaller; results: Record<"event" | "platform", { first: EventRow | null }> };

/** Declares the event in a path. It must belong to the company in scope; staff may also read platform events. */
function eventOf<S extends WebhooksServices>({ eventLog }: WebhooksApi<S>) {
  return {
    query: companyQuery,
    params: rowIdPath,
    input: ({ params }: { params: Record<string, string> }) => rowIdOf(params.id),
    reads: ({ input, ...readInput }: ReadInput & { input: number | null }) => ({
      event: selectEvent(eventLog, companyOf(readInput), input),
      platform: selectEvent(eventLog, PLATFORM, input),
    }),
    row: ({ caller, results }: EventLookup) => results.event.first ?? (caller.isStaff ? results.platform.first : null),
  };
}
