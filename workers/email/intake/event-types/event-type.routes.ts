import * as z from "zod";
import {
  createdEventTypeSchema,
  eventTypeBodySchema,
  eventTypeChangeSchema,
  eventTypeListSchema,
  eventTypeSchema,
  presetListSchema,
} from "../../../../schemas/email/content/event-types";
import { MAX_EVENT_TYPE_LENGTH, OWN_EVENT_TYPE } from "../../../../schemas/email/content/prefixes";
import { PRESETS } from "../../../../schemas/email/content/presets";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { actorOf } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentResourcePage, readPage, splitPage } from "../../../kit/http/paging/page";
import type { EmailService } from "../../http";
import { changeEventType, composeEventType, createEventType, removeEventType } from "./event-type";
import { presentEventType } from "./event-type.present";
import { findEventType, listEventTypes } from "./event-type.store";
import { readEventTypeChange, readNewEventType } from "./event-type-input";
import { presentPreset } from "./preset";

const PATH = "/api/v1/event-types";
const PAGE_SIZE = 50;
/** Up to 50 variables with their labels and samples. */
const MAX_BODY_BYTES = 262_144;
const tags = ["Event types"];
const listQuery = lazySchema(() =>
  companyQuery.unwrap().extend({ limit: z.string().optional(), cursor: z.string().optional() }),
);
const positionSchema = lazySchema(() => z.tuple([z.string()]));
const typePath = lazySchema(() =>
  z.object({ event_type: z.string().max(MAX_EVENT_TYPE_LENGTH).regex(OWN_EVENT_TYPE) }),
);

const ofType = {
  tags,
  path: `${PATH}/{event_type}`,
  role: "owner",
  query: companyQuery,
  params: typePath,
  input: ({ params }: { params: Record<string, string> }) => params.event_type ?? "",
  reads: ({ companyId, input: eventType }: { companyId: number; input: string }) => ({
    row: findEventType({ companyId, eventType }),
  }),
} as const;

/** `/api/v1/event-types`: the event types that a company defined. */
export function mountEventTypes({ call }: EmailService): void {
  const response = jsonResponse(eventTypeSchema, "The event type");
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "List the event types of a company, by name",
      role: "owner",
      query: listQuery,
      input: ({ query }) => readPage(query, positionSchema, { defaultLimit: PAGE_SIZE }),
      reads: ({ companyId, input: { after, limit } }) => ({
        types: listEventTypes({ companyId, after: after?.[0] ?? "", limit: limit + 1 }),
      }),
      responses: { 200: jsonResponse(eventTypeListSchema, "One page of event types") },
    },
    ({ c, input, results }) => {
      const page = splitPage(results.types.rows, input.limit, ({ event_type }) => [event_type]);
      return c.json(presentResourcePage("event_types", page, presentEventType));
    },
  );
  call(
    {
      method: "post",
      path: PATH,
      tags,
      summary:
        "Define an event type, so that `send`, `events` and email rules accept it; a preset also creates its rule and mail",
      role: "owner",
      query: companyQuery,
      body: {
        schema: eventTypeBodySchema,
        limit: MAX_BODY_BYTES,
        read: (raw, { services }) => readNewEventType(raw, services.settings),
      },
      responses: { 201: jsonResponse(createdEventTypeSchema, "The event type") },
      errorCodes: ["conflict", "limit_reached", "renderer_unavailable"],
    },
    async ({ c, services, caller, scope: companyId, body }) => {
      const { input, preset } = body;
      const composed = await composeEventType(services, companyId, input);
      const { type, rule } = await createEventType(services, companyId, composed, { actor: actorOf(caller), preset });
      const ids = rule === null ? {} : { rule_id: rule.id, template_id: rule.template_id };
      return c.json({ ...presentEventType(type), ...ids }, 201);
    },
  );
  call(
    {
      method: "get",
      path: `${PATH}/presets`,
      tags,
      summary: "List the presets: event types that `POST /api/v1/event-types` creates with a rule and a mail, by name",
      role: "owner",
      query: listQuery,
      input: ({ query }) => readPage(query, positionSchema, { defaultLimit: PAGE_SIZE }),
      responses: { 200: jsonResponse(presetListSchema, "One page of presets") },
    },
    ({ c, input: { after, limit } }) => {
      const names = PRESETS.filter((name) => name > (after?.[0] ?? ""));
      const page = splitPage(names.slice(0, limit + 1), limit, (name) => [name]);
      return c.json(presentResourcePage("presets", page, presentPreset));
    },
  );
  call(
    {
      ...ofType,
      method: "get",
      summary: "Get an event type",
      row: ({ results }) => results.row.first,
      responses: { 200: response },
    },
    ({ c, row }) => c.json(presentEventType(row)),
  );
  call(
    {
      ...ofType,
      method: "patch",
      summary: "Change an event type; missing fields keep their values, and published templates keep their content",
      row: ({ results }) => results.row.first,
      body: {
        schema: eventTypeChangeSchema,
        limit: MAX_BODY_BYTES,
        read: (raw, { services, row }) => readEventTypeChange(row, raw, services.settings),
      },
      responses: { 200: response },
      errorCodes: ["conflict", "renderer_unavailable"],
    },
    async ({ c, services, caller, scope: companyId, row, body }) => {
      const composed = await composeEventType(services, companyId, body);
      return c.json(presentEventType(await changeEventType(services, row, composed, actorOf(caller))));
    },
  );
  call(
    {
      ...ofType,
      method: "delete",
      summary: "Delete an event type that no rule, template or waiting message uses",
      row: ({ results }) => results.row.first,
      responses: { 204: { description: "Deleted" } },
      errorCodes: ["event_type_in_use"],
    },
    async ({ c, services, caller, row }) => {
      await removeEventType(services, row, actorOf(caller));
      return c.body(null, 204);
    },
  );
}
