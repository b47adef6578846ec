import * as z from "zod";
import { CATALOG_EVENTS, type LaneClass } from "../../../../schemas/email/content/catalog";
import { LANES } from "../../../../schemas/email/delivery/lanes";
import { statsSchema } from "../../../../schemas/email/delivery/stats";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { idText, listQuery } from "../../../../schemas/query";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { readCommaList } from "../../../kit/http/request/comma-list";
import { instantQuery } from "../../../kit/http/request/instant";
import { invalid } from "../../../kit/problem";
import { DAY_MS } from "../../../kit/time";
import { requestedEvent, selectOwnTypes } from "../../content/event-types/own-event";
import { isDirectType } from "../../delivery/messages/direct-content";
import { selectProvider } from "../../delivery/sender-settings/provider";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { presentStats } from "./stats.present";
import { type StatsFilter, selectStats } from "./stats.store";
import { readWindow } from "./window";

/** `GET /api/v1/stats`: count the messages of a company by outcome; see docs/specification/email-statistics.md. */
export function mountStats({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: "/api/v1/stats",
      tags: ["Statistics"],
      summary: "Count messages by lane, event and day, by default of the last 30 days",
      description:
        "A message counts on the day of its acceptance. A message that a provider accepted counts as `sent` and also by its outcome.",
      role: "owner",
      query: lazySchema(() =>
        z.object({
          company_id: z.string().optional(),
          from: instantQuery().describe("a UTC day or a time, inclusive"),
          to: instantQuery().describe(
            "a UTC day, which is included, or a time, exclusive; at most 400 days after `from`",
          ),
          lane: listQuery(LANES),
          event_type: z
            .string()
            .optional()
            .meta({ description: "comma-separated list", examples: ["identity.user.invited"] }),
          broadcast_id: idText().optional().describe("only the mail of this broadcast"),
          list_id: idText().optional().describe("only the confirmations and broadcasts of this newsletter"),
        }),
      ),
      input: ({ query, services: { clock, settings } }) => ({
        filter: { ...readFilter(query), ...readAudienceFilter(query) },
        window: readWindow(query, { now: clock.now(), retentionMs: settings.messageRetentionDays * DAY_MS }),
      }),
      reads: ({ companyId, input: { window, filter } }) => ({
        ...selectStats(companyId, window, filter),
        ownTypes: selectOwnTypes(filter.events ?? [], companyId),
        provider: selectProvider(companyId),
      }),
      responses: { 200: jsonResponse(statsSchema, "The statistics") },
      errorCodes: ["event_unknown"],
    },
    ({ c, services: { settings }, scope, input, results }) => {
      const ownTypes = results.ownTypes?.rows.map(({ event_type }) => event_type) ?? [];
      const isKnown = (type: string) =>
        requestedEvent(type)?.platform !== undefined || ownTypes.includes(type) || isDirectType(type);
      // Counts outlive the event type of a company. Skipped events are not counted by type.
      const counted = new Set(results.counts.rows.map(({ event_type }) => event_type));
      const hasHistory = (type: string) => counted.has(type) || results.skipped.rows.length > 0;
      if (input.filter.events?.some((type) => !isKnown(type) && !hasHistory(type))) throw new Problem("event_unknown");
      return c.json(presentStats(scope, input.window, results, { providerRow: results.provider.first, settings }));
    },
  );
}

/**
 * Reads the filters. Throws 400 `lane: [invalid]` for an unknown lane, and `event_unknown` for an event that neither the platform
 * nor a company can have.
 */
function readFilter(query: Record<string, string>): Omit<StatsFilter, "broadcastId" | "listId"> {
  const lanes = readCommaList(query.lane);
  const events = readCommaList(query.event_type);
  if (lanes?.some((lane) => !LANES.some((allowed) => allowed === lane))) throw invalid({ lane: ["invalid"] });
  if (events?.some((event) => requestedEvent(event) === null && !isDirectType(event)))
    throw new Problem("event_unknown");
  // The events of companies, and emails with their own content, are transactional.
  const isInLanes = (lane: LaneClass = "transactional") => lanes === null || lanes.includes(lane);
  const typesWhere = (isListed: boolean) =>
    CATALOG_EVENTS.flatMap(({ event_type, lane_class }) => (isInLanes(lane_class) === isListed ? [event_type] : []));
  if (events !== null) {
    const narrowed = events.filter((event) => isInLanes(requestedEvent(event)?.platform?.lane_class));
    return { lanes, events, narrowed, excluded: null };
  }
  // Decisions store no lane. The transactional lane includes every own event, so its filter excludes the events of other lanes.
  if (isInLanes()) return { lanes, events, narrowed: null, excluded: typesWhere(false) };
  return { lanes, events, narrowed: typesWhere(true), excluded: null };
}

/**
 * Reads the filters for a broadcast and a newsletter. Skipped events belong to neither, so none is counted. Throws 400
 * `broadcast_id: [invalid]` and `list_id: [invalid]`.
 */
function readAudienceFilter({ broadcast_id, list_id }: Record<string, string>) {
  const read = (name: string, text: string | undefined): number | null => {
    if (text === undefined) return null;
    const id = idText().safeParse(text).data;
    if (id === undefined) throw invalid({ [name]: ["invalid"] });
    return id;
  };
  const [broadcastId, listId] = [read("broadcast_id", broadcast_id), read("list_id", list_id)];
  return { broadcastId, listId, ...(broadcastId === null && listId === null ? {} : { narrowed: [] }) };
}
