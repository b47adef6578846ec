import * as z from "zod";
import { DECISION_REASONS, decisionListSchema } from "../../../../schemas/email/intake/decisions";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentResourcePage, readPage } from "../../../kit/http/paging/page";
import { scanOfLimit, splitScan } from "../../../kit/http/paging/scan";
import { instantQuery } from "../../../kit/http/request/instant";
import { resolveEvent, selectOwnType } from "../../content/event-types/own-event";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { presentDecision } from "./decision.present";
import { listDecisions } from "./decision.store";
import { readDecisionFilter } from "./decision-filter";

const positionSchema = lazySchema(() => z.tuple([z.string().regex(/^[0-9a-f]{32}$/)]));

/** `GET /api/v1/decisions`: list the reasons why events created no message. */
export function mountDecisions({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: "/api/v1/decisions",
      tags: ["Events"],
      summary:
        "List the reasons why accepted events of a company created no message or left out a recipient, newest first",
      role: "owner",
      query: lazySchema(() =>
        z.object({
          company_id: z.string().optional(),
          event_type: z.string().optional().describe("an event of the catalog, or one that the company deleted"),
          reason: z.enum(DECISION_REASONS).optional(),
          from: instantQuery().describe("UTC day or time, included; must be before `to`"),
          to: instantQuery().describe("UTC day (included) or time (excluded)"),
          limit: z.string().optional(),
          cursor: z.string().optional(),
        }),
      ),
      input: ({ query }) => ({ page: readPage(query, positionSchema), filter: readDecisionFilter(query) }),
      reads: ({ companyId, input: { page, filter } }) => {
        const { untilId, event, ...otherFilters } = filter;
        const eventType = event?.event_type ?? null;
        // The query has one upper bound on the id: the earlier of the cursor and the end of the filter.
        const [beforeId = untilId] = [untilId, page.after?.[0] ?? untilId].sort();
        const position = { companyId, beforeId, ...scanOfLimit(page.limit) };
        return {
          decisions: listDecisions({ ...otherFilters, eventType, ...position }),
          ownType: selectOwnType(event, companyId),
        };
      },
      responses: { 200: jsonResponse(decisionListSchema, "One page of decisions") },
      errorCodes: ["event_unknown"],
    },
    ({ c, input, results }) => {
      const { event } = input.filter;
      const decisionPage = splitScan(results.decisions.rows, input.page, ({ id }) => [id]);
      const isKnown = event === null || resolveEvent(event, results.ownType) !== undefined;
      // Decisions outlive the event type of a company. A later page may be empty.
      const hasDecisions =
        decisionPage.rows.length > 0 || decisionPage.next_cursor !== null || input.page.after !== null;
      if (!isKnown && !hasDecisions) throw new Problem("event_unknown");
      return c.json(presentResourcePage("decisions", decisionPage, presentDecision));
    },
  );
}
