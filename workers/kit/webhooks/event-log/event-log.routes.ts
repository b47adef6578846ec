import { eventTypesSchema } from "../../../../schemas/webhooks/catalog";
import { deliverySchema } from "../../../../schemas/webhooks/deliveries";
import {
  eventFilterOf,
  eventQueryOf,
  eventSchema,
  replayBody,
  retentionSchema,
} from "../../../../schemas/webhooks/event-log";
import { cursorPageSchema } from "../../../../schemas/webhooks/page";
import { bodyOf } from "../../http/call";
import { jsonResponse } from "../../http/openapi/responses";
import { presentLogPage, readLogPage } from "../../http/paging/log-page";
import { parse } from "../../http/request/parse";
import { rowIdOf } from "../../http/request/path-id";
import { Problem } from "../../problem";
import { iso } from "../../time";
import { inReach } from "../access";
import type { WebhookCall, WebhookEnv, WebhooksApi, WebhooksServices } from "../api";
import { replay } from "../deliveries/delivery";
import { presentDelivery } from "../deliveries/delivery.present";
import { API_PREFIX, companyOf, companyQuery, countMutation, idParam } from "../operations";
import { presentEvent, presentEventTypes } from "./event.present";
import { eventListReads, isStale } from "./event-log";
import type { EventRow } from "./event-log.store";
import { openEvent } from "./sealed-body";

const common = { tags: ["Events"], role: "owner" } as const;

/** The event log of a company under each of its paths, and the replay of an event. */
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
      summary: "Send an event of the log to a rule that has no delivery of it",
      permit: countMutation,
      body: bodyOf(replayBody),
      answers: { 201: jsonResponse(deliverySchema, "The delivery") },
      refuses: ["conflict"],
    },
    async ({ c, services, caller, row, body }) =>
      c.json(presentDelivery(await replay(services.webhooks, row, body.action_rule_id), caller.isStaff), 201),
  );
}

function mountReads<S extends WebhooksServices, E extends WebhookEnv<S>>(
  call: WebhookCall<S, E>,
  api: WebhooksApi<S>,
  path: string,
): void {
  const { catalog, eventLog } = api;
  const filter = eventFilterOf((type) => catalog.events.some((entry) => entry.type === type));
  call(
    {
      ...common,
      method: "get",
      path,
      summary: "Events of a company, newest first",
      query: eventQueryOf(filter),
      permit: ({ caller, request }) => {
        const isPlatform = new URL(request.url).searchParams.get("scope") === "platform";
        if (isPlatform && !caller.isStaff) throw new Problem("forbidden");
      },
      input: ({ query }) => ({ page: readLogPage(query), asked: parse(filter, query) }),
      reads: ({ input: { asked, page }, ...who }) =>
        eventListReads(eventLog, asked.scope === "platform" ? null : companyOf(who), asked, page),
      answers: { 200: jsonResponse(cursorPageSchema(eventSchema), "A page") },
    },
    async ({ c, services, input, results }) => {
      const { rows, count } = results;
      const opened = await Promise.all(rows.rows.map((row) => openEvent(services.webhooks, row, { isListed: true })));
      const present = (event: (typeof opened)[number]) => presentEvent(event, catalog);
      return c.json(presentLogPage(input.page, count?.first?.count ?? 0, opened, present));
    },
  );
  call(
    {
      ...common,
      method: "get",
      path: `${path}/types`,
      summary: "Types of events",
      query: companyQuery,
      answers: { 200: jsonResponse(eventTypesSchema, "The types") },
    },
    ({ c, caller }) => c.json(presentEventTypes(catalog, caller.isStaff)),
  );
  call(
    {
      ...common,
      method: "get",
      path: `${path}/retention`,
      summary: "How long events are kept",
      query: companyQuery,
      reads: (who) => ({ found: eventLog.oldest({ company: companyOf(who) }) }),
      answers: { 200: jsonResponse(retentionSchema, "The retention") },
    },
    ({ c, services, scope, results }) => {
      const oldest = results.found.first?.oldest ?? null;
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
      summary: "An event",
      answers: { 200: jsonResponse(eventSchema, "The event") },
    },
    async ({ c, services, row }) =>
      c.json(presentEvent(await openEvent(services.webhooks, row, { isListed: false }), catalog)),
  );
}

type Found = Parameters<typeof inReach>[1] & { results: { event: { first: EventRow | null } } };

/** The event of a path when it is in reach; staff also read platform events, which have no company. */
function eventOf<S extends WebhooksServices>({ eventLog }: WebhooksApi<S>) {
  return {
    query: companyQuery,
    params: idParam,
    input: ({ params }: { params: Record<string, string> }) => rowIdOf(params.id),
    reads: ({ input }: { input: number | null }) => ({ event: eventLog.find({ id: input }) }),
    row: ({ results, ...reach }: Found) => {
      const event = results.event.first;
      return reach.caller.isStaff && event?.company_id === null ? event : inReach(event, reach);
    },
  };
}
