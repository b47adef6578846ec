import * as z from "zod";
import {
  BROADCAST_STATES,
  broadcastChangeSchema,
  broadcastListSchema,
  broadcastSchema,
  newBroadcastSchema,
} from "../../../../schemas/email/audience/broadcasts";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery, timeText } from "../../../../schemas/query";
import { actorOf } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { readPage } from "../../../kit/http/paging/page";
import { scanOfLimit, splitScan } from "../../../kit/http/paging/scan";
import { invalid } from "../../../kit/problem";
import type { EmailService } from "../../http";
import {
  changeDraft,
  createBroadcast,
  duplicateBroadcast,
  openBroadcast,
  presentList,
  presentOpened,
  removeBroadcast,
  reopenBroadcast,
} from "./broadcast";
import { listBroadcasts, listBroadcastsInState } from "./broadcast.store";
import { readBroadcastChange, readNewBroadcast } from "./broadcast-input";
import { broadcastRoute, platformOf } from "./broadcast-route";

const PATH = "/api/v1/broadcasts";
const tags = ["Broadcasts"];
const positionSchema = lazySchema(() => z.tuple([z.int()]));
const pageQuery = lazySchema(() =>
  companyQuery.unwrap().extend({
    state: z.enum(BROADCAST_STATES).optional(),
    updated_since: z.iso.datetime({ offset: true }).optional(),
    limit: z.string().optional(),
    cursor: z.string().optional(),
  }),
);

/** `/api/v1/broadcasts`: mail to many recipients; see docs/specification/email-broadcasts.md. */
export function mountBroadcasts({ call }: EmailService): void {
  const response = jsonResponse(broadcastSchema, "The broadcast");
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "List the broadcasts of a company, newest first",
      role: "owner",
      query: pageQuery,
      input: ({ query }) => ({
        ...readPage(query, positionSchema),
        state: readState(query.state),
        since: readSince(query.updated_since),
      }),
      reads: ({ companyId, input: { after, limit, state, since } }) => {
        const page = { companyId, before: after?.[0] ?? Number.MAX_SAFE_INTEGER, since, ...scanOfLimit(limit) };
        return { rows: state === null ? listBroadcasts(page) : listBroadcastsInState({ ...page, state }) };
      },
      responses: { 200: jsonResponse(broadcastListSchema, "One page of broadcasts") },
    },
    async ({ c, services, scope, input, results }) => {
      const page = splitScan(results.rows.rows, input, ({ id }) => [id]);
      const items = await presentList(services, scope, page.rows);
      return c.json({ broadcasts: items, next_cursor: page.next_cursor });
    },
  );
  call(
    {
      method: "post",
      path: PATH,
      tags,
      summary: "Create a draft with a copy of a library design as its content",
      role: "owner",
      query: companyQuery,
      input: platformOf,
      body: {
        schema: newBroadcastSchema,
        read: (raw, { services, scope }) => readNewBroadcast(services, scope, raw),
      },
      responses: { 201: response },
      errorCodes: ["language_not_available", "renderer_unavailable"],
    },
    async ({ c, services, caller, scope, input: platform, body }) => {
      const id = await createBroadcast(services, scope, body, actorOf(caller));
      return c.json(await presentOpened(services, await reopenBroadcast(services, id, scope, platform)), 201);
    },
  );
  call(
    {
      ...broadcastRoute,
      path: `${PATH}/{id}`,
      method: "get",
      summary: "Get a broadcast",
      responses: { 200: response },
    },
    async ({ c, services, row, results }) => {
      return c.json(await presentOpened(services, await openBroadcast(services, row, results)));
    },
  );
  call(
    {
      ...broadcastRoute,
      path: `${PATH}/{id}`,
      method: "patch",
      summary:
        "Change a draft; missing fields keep their values, and a new subject or preheader publishes a new version",
      body: {
        schema: broadcastChangeSchema,
        read: (raw, { services, row }) => readBroadcastChange(services, row, raw),
      },
      responses: { 200: response },
      errorCodes: ["broadcast_not_draft", "limit_reached", "renderer_unavailable"],
    },
    async ({ c, services, caller, row, input, body }) => {
      await changeDraft(services, row, body, actorOf(caller));
      return c.json(
        await presentOpened(services, await reopenBroadcast(services, row.id, row.company_id, input.platform)),
      );
    },
  );
  call(
    {
      ...broadcastRoute,
      path: `${PATH}/{id}`,
      method: "delete",
      summary: "Delete a draft and its content",
      responses: { 204: { description: "Deleted" } },
      errorCodes: ["broadcast_not_draft"],
    },
    async ({ c, services, caller, row }) => {
      await removeBroadcast(services, row, actorOf(caller));
      return c.body(null, 204);
    },
  );
  call(
    {
      ...broadcastRoute,
      path: `${PATH}/{id}/duplicate`,
      method: "post",
      summary: "Create a draft with the content, language and audience of a broadcast",
      responses: { 201: response },
      errorCodes: ["renderer_unavailable"],
    },
    async ({ c, services, caller, row, input: { platform } }) => {
      const id = await duplicateBroadcast(services, row, actorOf(caller));
      return c.json(await presentOpened(services, await reopenBroadcast(services, id, row.company_id, platform)), 201);
    },
  );
}

function readState(value: string | undefined): (typeof BROADCAST_STATES)[number] | null {
  const state = BROADCAST_STATES.find((name) => name === value);
  if (value !== undefined && state === undefined) throw invalid({ state: ["invalid"] });
  return state ?? null;
}

/** Returns the time in unix ms; 0 without a value. Throws 400 `updated_since: [invalid]`. */
function readSince(value: string | undefined): number {
  if (value === undefined) return 0;
  const since = timeText().safeParse(value).data;
  if (since === undefined) throw invalid({ updated_since: ["invalid"] });
  return since;
}
