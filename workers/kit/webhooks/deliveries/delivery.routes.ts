import {
  deliveryDetailSchema,
  deliveryFilterOf,
  deliveryPage,
  deliveryQueryOf,
  deliverySchema,
} from "../../../../schemas/webhooks/deliveries";
import { jsonResponse } from "../../http/openapi/responses";
import { presentLogPage, readLogPage } from "../../http/paging/log-page";
import { readLate } from "../../http/request/late-query";
import { parse } from "../../http/request/parse";
import { uuidOf } from "../../http/request/path-id";
import { Problem } from "../../problem";
import { requireInScope, rowScope } from "../access";
import type { ActionsApi, ActionsApp, ActionsHandlerContext, ActionsServices } from "../api";
import { withOpenBody } from "../event-log/sealed-body";
import { type ListResults, readListResults } from "../list-results";
import { admitMutation, companyQuery, idParam, operationsOf, prefix } from "../operations";
import { presentDelivery, presentDeliveryDetail } from "../present";
import { isRuleType } from "../subscriptions/subscription-input";
import { requeue } from "./delivery";
import { deliveryListReads, type FoundDelivery, findDelivery, type ListedDelivery } from "./delivery.store";

/** `/api/v1/actions/deliveries`: what webhooks a company sent and sends (details of Document 3, 4.9). */
export function mountDeliveries<S extends ActionsServices>(app: ActionsApp<S>, api: ActionsApi<S>): void {
  const { common, reads, writes } = operationsOf(api, "Webhook deliveries");
  const path = `${prefix}/deliveries`;
  const filter = deliveryFilterOf((type) => isRuleType(api.catalog, type));
  const target = { query: companyQuery, params: idParam };
  app.route(
    {
      ...common,
      method: "get",
      path,
      summary: "Deliveries, newest first",
      request: { query: deliveryQueryOf(filter) },
      responses: { 200: jsonResponse(deliveryPage, "A page"), ...reads(["not_found"]) },
    },
    async (c) => {
      const services = c.get("services");
      const { db } = services.actions;
      const query = c.req.query();
      const wish = readLate(() => ({ page: readLogPage(query), asked: parse(filter, query) }));
      const list = (companyId: number) =>
        wish instanceof Problem ? [] : deliveryListReads(db, companyId, wish.asked, wish.page);
      const { caller, results } = await api.admit<ListResults<ListedDelivery>>(services, c.req.raw, { reads: list });
      if (query.scheduled_job_run_id !== undefined && !caller.isStaff) throw new Problem("forbidden");
      if (wish instanceof Problem) throw wish;
      const { page } = wish;
      const { rows, count } = readListResults(results);
      const placed = rows.map((row) => ({ row, created_at: row.created_at, id: row.seq }));
      return c.json(presentLogPage(page, count, placed, ({ row }) => presentDelivery(row, caller.isStaff)));
    },
  );
  app.route(
    {
      ...common,
      method: "get",
      path: `${path}/{id}`,
      summary: "A delivery with every attempt and what it sends",
      request: target,
      responses: { 200: jsonResponse(deliveryDetailSchema, "The delivery"), ...reads(["not_found"]) },
    },
    async (c) => {
      const services = c.get("services");
      const { db } = services.actions;
      const read = () => [findDelivery(db, null, uuidOf(c.req.param("id")))];
      const admission = await api.admit<[FoundDelivery]>(services, c.req.raw, { reads: read });
      const row = requireInScope(admission.results[0].results[0], rowScope(admission, c.req.raw));
      const opened = await withOpenBody(services.actions, row);
      return c.json(presentDeliveryDetail(opened, admission.caller.isStaff));
    },
  );
  app.route(
    {
      ...common,
      method: "post",
      path: `${path}/{id}/requeue`,
      summary: "Send a delivery again that is dead or failed",
      request: target,
      responses: {
        200: jsonResponse(deliverySchema, "The delivery, which waits"),
        ...writes(["not_found", "rule_deleted", "delivery_not_requeueable"]),
      },
    },
    (c) => requeueOne(c, api),
  );
}

async function requeueOne<S extends ActionsServices>(
  c: ActionsHandlerContext<S>,
  api: ActionsApi<S>,
): Promise<Response> {
  const context = c.get("services").actions;
  const reads = () => [findDelivery(context.db, null, uuidOf(c.req.param("id")))];
  const admission = await admitMutation<S, [FoundDelivery]>(api, c, { isOptional: true, reads });
  const { caller, body, results } = admission;
  const { id } = requireInScope(results[0].results[0], rowScope(admission, c.req.raw, body.companyId));
  return c.json(presentDelivery(newest(await requeue(context, id)), caller.isStaff));
}

/** A delivery as a list shows it: with its newest attempts. */
function newest(row: FoundDelivery): FoundDelivery {
  return { ...row, attempts: JSON.stringify((JSON.parse(row.attempts) as unknown[]).slice(0, 8)) };
}
