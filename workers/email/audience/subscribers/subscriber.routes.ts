import * as z from "zod";
import type { NewsletterRow, SubscriberRow } from "../../../../db/email/rows";
import {
  SUBSCRIBER_STATUSES,
  subscribedSchema,
  subscriberInputSchema,
  subscriberListSchema,
} from "../../../../schemas/email/audience/subscribers";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { addressPattern } from "../../../../schemas/text/address";
import { actionEntry, actorOf } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { type Page, presentPage, readPage, splitPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { rowIdOf } from "../../../kit/http/request/path-id";
import { inScope, rowByNumber } from "../../../kit/http/resource";
import { invalid } from "../../../kit/problem";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { readAddress, readAddressFilter } from "../../records/seal/address";
import { selectNewsletter } from "../newsletters/newsletter";
import { addConsented, askToConfirm, deleteSubscriber, languageOf } from "./subscriber";
import { presentSubscribers } from "./subscriber.present";
import { findSubscriber, listSubscribers, listSubscribersOf } from "./subscriber.store";

const PATH = "/api/v1/newsletters/{id}/subscribers";
const tags = ["Newsletters"];
const byPage = { size: "page_size", defaultLimit: 50, maxLimit: 200, isNumbered: true } as const;
const positionSchema = lazySchema(() => z.tuple([z.int().min(1)]));
const listQuery = lazySchema(() =>
  companyQuery.unwrap().extend({
    status: z.enum(SUBSCRIBER_STATUSES).optional(),
    email: z.string().optional().meta({ pattern: addressPattern }),
    page: z.string().optional(),
    page_size: z.string().optional().meta({ maximum: byPage.maxLimit, default: byPage.defaultLimit }),
    cursor: z.string().optional(),
  }),
);

type Filter = { status: SubscriberRow["status"] | null; hashes: string[] | null };

const rowRoute = { ...rowByNumber(selectNewsletter), tags, role: "row", missingCode: "newsletter_not_found" } as const;

/** `/api/v1/newsletters/{id}/subscribers`: list, add and delete the subscribers of a newsletter. */
export function mountSubscribers({ call }: EmailService): void {
  call(
    {
      tags,
      role: "row",
      missingCode: "newsletter_not_found",
      method: "get",
      path: PATH,
      summary: "List the subscribers of a newsletter, newest first, with their addresses",
      query: listQuery,
      params: rowIdPath,
      input: async ({ params, query, services }) => ({
        id: rowIdOf(params.id),
        page: readPage(query, positionSchema, byPage),
        status: readStatus(query.status),
        hashes: await readAddressFilter(services, query.email),
      }),
      reads: ({ input: { id } }) => ({ row: id === null ? null : selectNewsletter({ id }) }),
      row: ({ scope, results }) => inScope(results.row?.first, scope),
      responses: { 200: jsonResponse(subscriberListSchema, "One page of subscribers") },
    },
    async ({ c, services, caller, row: list, input }) => {
      const { id: listId, company_id: companyId } = list;
      const { page, status, hashes } = input;
      const beforeId = page.after?.[0] ?? Number.MAX_SAFE_INTEGER;
      const range = { listId, status, beforeId, limit: page.limit + 1, offset: page.offset };
      const audit = { action: "subscribers.read", target: `newsletter:${listId}`, now: services.clock.now() };
      const { rows } = await services.dbOf(companyId).batch({
        rows: hashes === null ? listSubscribers(range) : listSubscribersOf({ ...range, companyId, hashes }),
        entry: actionEntry({ ...audit, actor: actorOf(caller), companyId }),
      });
      const found = splitPage(rows.rows, page.limit, ({ id }) => [id]);
      const results = await presentSubscribers(found.rows, await services.keys());
      const count = countOf(list, input, page, found.rows.length);
      return c.json(presentPage(page, { ...found, rows: results, count }, (result) => result));
    },
  );
  call(
    {
      ...rowRoute,
      method: "post",
      path: PATH,
      summary: "Add a subscriber: with a confirmation mail, or with a consent that the company has already",
      body: {
        schema: subscriberInputSchema,
        read: (raw, { row }) => {
          const { email, first_name: firstName, language, mode } = parse(subscriberInputSchema, raw);
          const address = readAddress(email);
          if (address === null) throw invalid({ email: ["invalid_format"] });
          return { mode, person: { email: address, firstName, language: languageOf(row, language) } };
        },
      },
      responses: { 201: jsonResponse(subscribedSchema, "What happened, and the subscriber") },
      errorCodes: [
        ...(["subscriber_unsubscribed", "subscriber_suppressed", "lane_paused", "provider_not_configured"] as const),
        ...(["platform_sender_not_allowed", "company_smtp_disabled", "company_rate_limited"] as const),
        ...(["recipient_rate_limited", "library_not_synced"] as const),
      ],
    },
    async ({ c, services, caller, row, body: { mode, person } }) => {
      const add = mode === "consented" ? addConsented : askToConfirm;
      const { outcome, subscriber } = await add(services, row, person, actorOf(caller));
      const [presented = null] = await presentSubscribers(
        subscriber === null ? [] : [subscriber],
        await services.keys(),
      );
      return c.json({ outcome, subscriber: presented }, 201);
    },
  );
  call(
    {
      method: "delete",
      path: `${PATH}/{sid}`,
      tags,
      role: "row",
      summary: "Delete a subscriber",
      query: companyQuery,
      params: lazySchema(() => rowIdPath.unwrap().extend({ sid: z.int().min(1) })),
      input: ({ params }) => ({ id: rowIdOf(params.id), sid: rowIdOf(params.sid) }),
      reads: ({ input: { id, sid } }) => ({
        row: id === null ? null : selectNewsletter({ id }),
        subscriber: id === null || sid === null ? null : findSubscriber({ id: sid, listId: id }),
      }),
      row: ({ scope, results }) => {
        const list = inScope(results.row?.first, scope);
        return list && { list, subscriber: results.subscriber?.first ?? null };
      },
      missingCode: "newsletter_not_found",
      responses: { 204: { description: "Deleted" } },
      errorCodes: ["subscriber_not_found"],
    },
    async ({ c, services, caller, row: { list, subscriber } }) => {
      if (subscriber === null) throw new Problem("subscriber_not_found");
      await deleteSubscriber(services, list, subscriber.id, actorOf(caller));
      return c.body(null, 204);
    },
  );
}

function readStatus(status: string | undefined): Filter["status"] {
  if (status === undefined) return null;
  const known = SUBSCRIBER_STATUSES.find((value) => value === status);
  if (known === undefined) throw invalid({ status: ["invalid"] });
  return known;
}

/** Returns the number of subscribers that a filter matches. An address is stored at most once per newsletter. */
function countOf(list: NewsletterRow, { status, hashes }: Filter, page: Page<unknown>, found: number): number {
  if (hashes !== null) return page.offset + found;
  return status === null ? list.pending + list.confirmed + list.unsubscribed : list[status];
}
