import * as z from "zod";
import { identityErrors } from "../../../schemas/identity/errors";
import {
  eventFilter,
  eventQuery,
  eventSchema,
  eventTypesSchema,
  logPageSchema,
  retentionSchema,
} from "../../../schemas/identity/event-log";
import { presentLogPage, readLogPage } from "../../kit/http/log-page";
import { jsonResponse, problemResponses } from "../../kit/http/openapi";
import { parse } from "../../kit/http/parse";
import { Problem } from "../../kit/problem";
import type { IdentityContext, IdentityService } from "../http";
import { presentEvent, presentEventTypes } from "../present/event-log";
import { admit } from "../rules/caller";
import { isStale, listEvents, requireEvent } from "../rules/event-log";
import { findOldestEvent } from "../store/event-log-reads";

const errors = [
  "unauthorized",
  "token_invalid",
  "access_pending",
  "access_denied",
  "validation_failed",
  "company_mismatch",
  "forbidden",
  "not_found",
  "service_unavailable",
];
const companyQuery = z.object({ company_id: z.string().optional() });

/** Mounts the event log under both of its paths (identity details 11, Document 3 details 4.9). */
export function mountEventLog(service: IdentityService): void {
  for (const path of ["/api/v1/events", "/api/v1/actions/event-log"]) mountUnder(service, path);
}

function mountUnder(service: IdentityService, path: string): void {
  const common = { method: "get" as const, tags: ["Events"], security: [{ bearerAuth: [] }] };
  const refusals = problemResponses(identityErrors, errors);
  service.route(
    {
      ...common,
      path,
      summary: "Events of a company, newest first",
      request: { query: eventQuery },
      responses: { 200: jsonResponse(logPageSchema(eventSchema), "A page"), ...refusals },
    },
    list,
  );
  service.route(
    {
      ...common,
      path: `${path}/types`,
      summary: "Types of events",
      request: { query: companyQuery },
      responses: { 200: jsonResponse(eventTypesSchema, "The types"), ...refusals },
    },
    showTypes,
  );
  service.route(
    {
      ...common,
      path: `${path}/retention`,
      summary: "How long events are kept",
      request: { query: companyQuery },
      responses: { 200: jsonResponse(retentionSchema, "The retention"), ...refusals },
    },
    showRetention,
  );
  service.route(
    {
      ...common,
      path: `${path}/{id}`,
      summary: "An event",
      request: { query: companyQuery, params: z.object({ id: z.string() }) },
      responses: { 200: jsonResponse(eventSchema, "The event"), ...refusals },
    },
    show,
  );
}

async function list(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { caller, company } = await admit(services, c.req.raw, "owner");
  const isPlatform = c.req.query("scope") === "platform";
  if (isPlatform && !caller.isStaff) throw new Problem("forbidden");
  const page = readLogPage(c.req.query());
  const filter = parse(eventFilter, c.req.query());
  const { rows, count } = await listEvents(services, isPlatform ? null : company.id, filter, page);
  return c.json(presentLogPage(page, count, rows, presentEvent));
}

async function show(c: IdentityContext): Promise<Response> {
  return c.json(presentEvent(await requireEvent(c.get("services"), c.req.raw, c.req.param("id"))));
}

async function showTypes(c: IdentityContext): Promise<Response> {
  const { caller } = await admit(c.get("services"), c.req.raw, "owner");
  return c.json(presentEventTypes(caller.isStaff));
}

async function showRetention(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db, clock } = services;
  const reads = (companyId: number) => [findOldestEvent.bind(db, companyId)];
  const { company, results } = await admit<[{ oldest: number | null }]>(services, c.req.raw, "owner", { reads });
  const oldest = results[0].results[0]?.oldest ?? null;
  return c.json({
    data_retention_days: company.data_retention_days,
    oldest_event_at: oldest === null ? null : new Date(oldest).toISOString(),
    stale_events: isStale(oldest, company.data_retention_days, clock.now()),
  });
}
