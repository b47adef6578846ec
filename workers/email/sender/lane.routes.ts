import * as z from "zod";
import { emailErrors } from "../../../schemas/email/errors";
import {
  type Lane,
  laneChangedSchema,
  laneChangeSchema,
  laneListSchema,
  laneSchema,
} from "../../../schemas/email/lanes";
import { limitMutation, requireAdmin } from "../../kit/auth/caller";
import { requireRowScope, requireStaffScope } from "../../kit/auth/role";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { readPage, splitPage } from "../../kit/http/paging/cursor-page";
import { readLateBody } from "../../kit/http/request/body";
import { parse } from "../../kit/http/request/parse";
import { Problem } from "../../kit/problem";
import type { EmailContext, EmailService } from "../http";
import { ringWaitingLater } from "../queue/waiting";
import type { EmailServices } from "../services";
import { presentCompanyPause, presentLanes } from "./lane.present";
import { endPause, listPauses, listPausesFor, storePause } from "./lane.store";
import { fingerprintPlatform } from "./sender";

const security = [{ bearerAuth: [] }];
const tags = ["Lanes"];
const readErrors = ["validation_failed", "unauthorized", "company_mismatch", "forbidden", "service_unavailable"];
const writeErrors = [
  ...readErrors,
  "pat_read_only",
  "not_found",
  "rate_limited",
  "payload_too_large",
  "unsupported_media_type",
];
const companyQuery = z.object({ company_id: z.string().optional() });
const positionSchema = z.tuple([z.int(), z.string(), z.string()]);

/** `/api/v1/lanes`: what is paused, and pause and resume by staff (Document 2, email details 5.5). */
export function mountLanes(service: EmailService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/lanes",
      tags,
      security,
      summary: "The lanes and the pauses of companies; an owner gets the own company",
      request: { query: companyQuery.extend({ limit: z.string().optional(), cursor: z.string().optional() }) },
      responses: {
        200: jsonResponse(laneListSchema, "Lanes and one page of company pauses"),
        ...problemResponses(emailErrors, readErrors),
      },
    },
    list,
  );
  for (const verb of ["pause", "resume"] as const) {
    service.route(
      {
        method: "post",
        path: `/api/v1/lanes/{lane}/${verb}`,
        tags,
        security,
        summary: verb === "pause" ? "Pause a lane for everybody or one company" : "End a pause and ring waiting mail",
        request: {
          query: companyQuery,
          params: z.object({ lane: laneSchema }),
          body: { ...jsonBody(laneChangeSchema), required: false },
        },
        responses: {
          200: jsonResponse(laneChangedSchema, "The state of the lane; a repeat says the same"),
          ...problemResponses(emailErrors, writeErrors),
        },
      },
      verb === "pause" ? pause : resume,
    );
  }
}

async function list(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const companyId = requireRowScope(caller, c.req.query("company_id"));
  const { limit, after } = readPage(c.req.query(), positionSchema);
  const platform = await fingerprintPlatform(services.settings, await services.keys());
  if (companyId !== null) {
    const { forAll, companies } = await listPausesFor(services.db, companyId, platform);
    return c.json({ lanes: presentLanes(forAll), companies: companies.map(presentCompanyPause), next_cursor: null });
  }
  const { forAll, companies } = await listPauses(services.db, after ?? [0, "", ""], limit, platform);
  const { rows, next_cursor } = splitPage(companies, limit, (row) => [row.company_id, row.lane, row.scope]);
  return c.json({ lanes: presentLanes(forAll), companies: rows.map(presentCompanyPause), next_cursor });
}

async function pause(c: EmailContext): Promise<Response> {
  const { services, lane, companyId, reason, userId } = await openChange(c);
  await storePause(services.db, { lane, companyId, reason, userId, now: services.clock.now() });
  return c.json({ lane, paused: true, ...(companyId === null ? {} : { company_id: companyId }) });
}

async function resume(c: EmailContext): Promise<Response> {
  const { services, lane, companyId } = await openChange(c);
  await endPause(services.db, lane, companyId);
  ringWaitingLater(services, [lane], companyId);
  return c.json({ lane, paused: false, ...(companyId === null ? {} : { company_id: companyId }) });
}

type LaneChange = {
  services: EmailServices;
  lane: Lane;
  companyId: number | null;
  reason: string;
  userId: number;
};

/** The order of email details 1.2 for pause and resume. */
async function openChange(c: EmailContext): Promise<LaneChange> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const body = await readLateBody(c.req.raw, { optional: true });
  const companyId = requireStaffScope(caller, { query: c.req.query("company_id"), body: body.companyId });
  const lane = laneSchema.safeParse(c.req.param("lane"));
  if (!lane.success) throw new Problem("not_found");
  await limitMutation(services, caller);
  const { reason } = parse(laneChangeSchema, body.take());
  return { services, lane: lane.data, companyId, reason, userId: caller.userId };
}
