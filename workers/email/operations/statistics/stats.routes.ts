import * as z from "zod";
import { CATALOG_EVENTS, findEvent } from "../../../../schemas/email/content/catalog";
import { LANES } from "../../../../schemas/email/delivery/lanes";
import { statsSchema } from "../../../../schemas/email/delivery/stats";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { listQuery } from "../../../../schemas/query";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { readCommaList } from "../../../kit/http/request/comma-list";
import { instantQuery } from "../../../kit/http/request/instant";
import { invalid } from "../../../kit/problem";
import { DAY_MS } from "../../../kit/time";
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
        }),
      ),
      input: ({ query, services: { clock, settings } }) => ({
        filter: readFilter(query),
        window: readWindow(query, { now: clock.now(), retentionMs: settings.messageRetentionDays * DAY_MS }),
      }),
      reads: ({ companyId, input: { window, filter } }) => ({
        ...selectStats(companyId ?? 0, window, filter),
        provider: selectProvider(companyId ?? 0),
      }),
      responses: { 200: jsonResponse(statsSchema, "The statistics") },
      errorCodes: ["event_unknown"],
    },
    ({ c, services: { settings }, scope, input, results }) =>
      c.json(presentStats(scope, input.window, results, { providerRow: results.provider.first, settings })),
  );
}

/** Reads the filters. Throws 400 `lane: [invalid]` for an unknown lane and `event_unknown` for an unknown event. */
function readFilter(query: Record<string, string>): StatsFilter {
  const lanes = readCommaList(query.lane);
  const events = readCommaList(query.event_type);
  if (lanes?.some((lane) => !LANES.some((allowed) => allowed === lane))) throw invalid({ lane: ["invalid"] });
  if (events?.some((event) => findEvent(event) === undefined && !isDirectType(event)))
    throw new Problem("event_unknown");
  if (lanes === null && events === null) return { lanes, events, narrowed: null };
  const narrowed = CATALOG_EVENTS.filter(
    ({ event_type, lane_class }) =>
      (events ?? [event_type]).includes(event_type) && (lanes ?? [lane_class]).includes(lane_class),
  );
  return { lanes, events, narrowed: narrowed.map(({ event_type }) => event_type) };
}
