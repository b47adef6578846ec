import * as z from "zod";
import {
  type Lane,
  laneChangedSchema,
  laneChangeSchema,
  laneListSchema,
  laneSchema,
} from "../../../../schemas/email/delivery/lanes";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { actorOf, changeEntry } from "../../../kit/audit/audit";
import { dbOfScope } from "../../../kit/db/db";
import { followedBy } from "../../../kit/db/statement";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { readPage, splitPage } from "../../../kit/http/paging/page";
import type { EmailService } from "../../http";
import { forgivenUntil } from "../bulk/complaints";
import { enqueueWaitingInBackground } from "../queue/waiting";
import { fingerprintPlatform } from "../sender/sender";
import { presentCompanyPause, presentLanes } from "./lane.present";
import { endPause, listPausesForAll, listPausesOfCompanies, listPausesOfCompany, storePause } from "./lane.store";

const PATH = "/api/v1/lanes";
const tags = ["Lanes"];
const positionSchema = lazySchema(() => z.tuple([z.int(), z.string(), z.string()]));

/** `/api/v1/lanes`: list pauses, and let staff pause and resume lanes. */
export function mountLanes({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "List the lanes with the pauses of all companies; owners see only the pauses of their company",
      role: "row",
      query: lazySchema(() =>
        companyQuery.unwrap().extend({ limit: z.string().optional(), cursor: z.string().optional() }),
      ),
      input: async ({ query, services }) => ({
        ...readPage(query, positionSchema),
        platform: await fingerprintPlatform(services.settings, await services.keys()),
      }),
      reads: ({ companyId, input: { after, limit, platform } }) => {
        const [afterCompany, lane, scope] = after ?? [0, "", ""];
        const page = { companyId: afterCompany, lane, scope, limit: limit + 1 };
        return {
          forAll: listPausesForAll(),
          companies:
            companyId === null
              ? listPausesOfCompanies({ ...page, platform })
              : listPausesOfCompany({ companyId, platform }),
        };
      },
      responses: { 200: jsonResponse(laneListSchema, "Lanes and one page of company pauses") },
    },
    ({ c, scope: companyId, input: { limit }, results: { forAll, companies } }) => {
      const lanes = presentLanes(forAll.rows);
      if (companyId !== null) {
        return c.json({ lanes, companies: companies.rows.map(presentCompanyPause), next_cursor: null });
      }
      const { rows, next_cursor } = splitPage(companies.rows, limit, (row) => [row.company_id, row.lane, row.scope]);
      return c.json({ lanes, companies: rows.map(presentCompanyPause), next_cursor });
    },
  );

  const change = {
    method: "post",
    tags,
    role: "staff",
    query: companyQuery,
    params: lazySchema(() => z.object({ lane: laneSchema.unwrap() })),
    input: ({ params }: { params: Record<string, string> }) => laneSchema.safeParse(params.lane),
    row: ({ input }: { input: z.ZodSafeParseResult<Lane> }) => input.data,
    body: bodyOf(laneChangeSchema, { optional: true }),
    responses: { 200: jsonResponse(laneChangedSchema, "The state of the lane; a repeated call returns the same") },
  } as const;
  call(
    { ...change, path: `${PATH}/{lane}/pause`, summary: "Pause a lane for all companies or one" },
    async ({ c, services, caller, scope: companyId, row: lane, body: { reason } }) => {
      const now = services.clock.now();
      const entry = changeEntry({
        actor: actorOf(caller),
        companyId,
        action: "lane.paused",
        target: `lane:${lane}`,
        now,
      });
      await storePause(dbOfScope(services, companyId), { lane, companyId, reason, userId: caller.userId, now }, entry);
      return c.json({ lane, paused: true, ...(companyId === null ? {} : { company_id: companyId }) });
    },
  );
  call(
    { ...change, path: `${PATH}/{lane}/resume`, summary: "Resume a lane and send its waiting mail" },
    async ({ c, services, caller, scope: companyId, row: lane }) => {
      const now = services.clock.now();
      const entry = changeEntry({
        actor: actorOf(caller),
        companyId,
        action: "lane.resumed",
        target: `lane:${lane}`,
        now,
      });
      const end = endPause({ lane, companyId: companyId ?? 0 });
      await dbOfScope(services, companyId).batch({
        ended: followedBy(end, entry),
        forgiven: lane === "bulk" && companyId !== null ? forgivenUntil(companyId, now) : null,
      });
      enqueueWaitingInBackground(services, [lane], companyId);
      return c.json({ lane, paused: false, ...(companyId === null ? {} : { company_id: companyId }) });
    },
  );
}
