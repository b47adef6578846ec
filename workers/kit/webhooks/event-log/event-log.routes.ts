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
import { jsonBody, jsonResponse } from "../../http/openapi/responses";
import { presentLogPage, readLogPage } from "../../http/paging/log-page";
import { readLate } from "../../http/request/late-query";
import { parse } from "../../http/request/parse";
import { rowIdOf } from "../../http/request/path-id";
import { Problem } from "../../problem";
import { rowScope } from "../access";
import type { ActionsApi, ActionsApp, ActionsHandlerContext, ActionsServices } from "../api";
import { replay } from "../deliveries/delivery";
import { type ListResults, readListResults } from "../list-results";
import { admitMutation, companyQuery, idParam, operationsOf, prefix } from "../operations";
import { presentDelivery, presentEvent, presentEventTypes } from "../present";
import { eventListReads, isStale } from "./event-log";
import type { EventRow } from "./event-log.store";
import { withOpenData } from "./sealed-body";

/** The event log of a company under each of its paths, and the replay of an event (details of Document 3, 4.9). */
export function mountEventLog<S extends ActionsServices>(app: ActionsApp<S>, api: ActionsApi<S>): void {
  const { common, writesBody } = operationsOf(api, "Events");
  for (const path of [...(api.eventLogPaths ?? []), `${prefix}/event-log`]) mountUnder(app, api, path);
  app.route(
    {
      ...common,
      method: "post",
      path: `${prefix}/event-log/{id}/replay`,
      summary: "Send an event of the log to a rule that has no delivery of it",
      request: { query: companyQuery, params: idParam, body: jsonBody(replayBody) },
      responses: { 201: jsonResponse(deliverySchema, "The delivery"), ...writesBody(["not_found", "conflict"]) },
    },
    (c) => replayOne(c, api),
  );
}

function mountUnder<S extends ActionsServices>(app: ActionsApp<S>, api: ActionsApi<S>, path: string): void {
  const { common, reads } = operationsOf(api, "Events");
  const get = { ...common, method: "get" as const };
  const filter = eventFilterOf((type) => api.catalog.events.some((entry) => entry.type === type));
  const refusals = reads(["not_found"]);
  app.route(
    {
      ...get,
      path,
      summary: "Events of a company, newest first",
      request: { query: eventQueryOf(filter) },
      responses: { 200: jsonResponse(cursorPageSchema(eventSchema), "A page"), ...refusals },
    },
    async (c) => {
      const services = c.get("services");
      const { db } = services.actions;
      const isPlatform = c.req.query("scope") === "platform";
      const wish = readLate(() => ({ page: readLogPage(c.req.query()), asked: parse(filter, c.req.query()) }));
      const reads = (companyId: number) =>
        wish instanceof Problem
          ? []
          : eventListReads(db, api.eventLog, isPlatform ? null : companyId, wish.asked, wish.page);
      const { caller, results } = await api.admit<ListResults<EventRow>>(services, c.req.raw, { reads });
      if (isPlatform && !caller.isStaff) throw new Problem("forbidden");
      if (wish instanceof Problem) throw wish;
      const { page } = wish;
      const { rows, count } = readListResults(results);
      const opened = await Promise.all(rows.map((row) => withOpenData(services.actions, row, { isListed: true })));
      return c.json(presentLogPage(page, count, opened, (row) => presentEvent(row, api.catalog)));
    },
  );
  app.route(
    {
      ...get,
      path: `${path}/types`,
      summary: "Types of events",
      request: { query: companyQuery },
      responses: { 200: jsonResponse(eventTypesSchema, "The types"), ...refusals },
    },
    async (c) => {
      const { caller } = await api.admit(c.get("services"), c.req.raw);
      return c.json(presentEventTypes(api.catalog, caller.isStaff));
    },
  );
  app.route(
    {
      ...get,
      path: `${path}/retention`,
      summary: "How long events are kept",
      request: { query: companyQuery },
      responses: { 200: jsonResponse(retentionSchema, "The retention"), ...refusals },
    },
    (c) => showRetention(c, api),
  );
  app.route(
    {
      ...get,
      path: `${path}/{id}`,
      summary: "An event",
      request: { query: companyQuery, params: idParam },
      responses: { 200: jsonResponse(eventSchema, "The event"), ...refusals },
    },
    async (c) => {
      const services = c.get("services");
      const { db } = services.actions;
      const read = () => [api.eventLog.find.bind(db, rowIdOf(c.req.param("id")))];
      const admission = await api.admit<[EventRow]>(services, c.req.raw, { reads: read });
      const event = requireEvent(
        admission.results[0].results[0],
        admission.caller.isStaff,
        rowScope(admission, c.req.raw),
      );
      const opened = await withOpenData(services.actions, event, { isListed: false });
      return c.json(presentEvent(opened, api.catalog));
    },
  );
}

async function showRetention<S extends ActionsServices>(
  c: ActionsHandlerContext<S>,
  api: ActionsApi<S>,
): Promise<Response> {
  const services = c.get("services");
  const { db, clock } = services.actions;
  const reads = (companyId: number) => [api.eventLog.oldest.bind(db, companyId)];
  const { retentionDays: days, results } = await api.admit<[{ oldest: number | null }]>(services, c.req.raw, { reads });
  const oldest = results[0].results[0]?.oldest ?? null;
  return c.json({
    data_retention_days: days,
    oldest_event_at: oldest === null ? null : new Date(oldest).toISOString(),
    stale_events: isStale(oldest, days, clock.now()),
  });
}

async function replayOne<S extends ActionsServices>(
  c: ActionsHandlerContext<S>,
  api: ActionsApi<S>,
): Promise<Response> {
  const context = c.get("services").actions;
  const reads = () => [api.eventLog.find.bind(context.db, rowIdOf(c.req.param("id")))];
  const admission = await admitMutation<S, [EventRow]>(api, c, { reads });
  const { caller, body, results } = admission;
  const scope = rowScope(admission, c.req.raw, body.companyId);
  const event = requireEvent(results[0].results[0], caller.isStaff, scope);
  const { action_rule_id } = parse(replayBody, body.take());
  return c.json(presentDelivery(await replay(context, event, action_rule_id), caller.isStaff), 201);
}

/** The event when it is in scope; staff also read platform events, which have no company. 404 `not_found`. */
function requireEvent(event: EventRow | undefined, isStaff: boolean, scope: number | null): EventRow {
  const isShown = event && (scope === null || event.company_id === scope || (isStaff && event.company_id === null));
  if (!isShown) throw new Problem("not_found");
  return event;
}
