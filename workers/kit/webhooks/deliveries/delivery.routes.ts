import { companyQuery, uuidPath } from "../../../../schemas/query";
import {
  deliveryDetailSchema,
  deliveryFilterOf,
  deliveryPage,
  deliveryQueryOf,
  deliverySchema,
} from "../../../../schemas/webhooks/deliveries";
import { jsonResponse } from "../../http/openapi/responses";
import { byNumber, logPosition, presentPage, readPage } from "../../http/paging/page";
import { splitScan } from "../../http/paging/scan";
import { parse } from "../../http/request/parse";
import { uuidOf } from "../../http/request/path-id";
import { Problem } from "../../problem";
import { rowInScope } from "../access/access";
import { API_PREFIX, companyOf, countMutation } from "../access/operations";
import type { WebhookCall, WebhookEnv, WebhooksApi, WebhooksServices } from "../api";
import { withEnvelope } from "../events/sealed-body";
import { isRuleType, ruleTypes } from "../subscriptions/subscription-input";
import { requeue, selectDeliveries, selectDelivery } from "./delivery";
import { presentDelivery, presentDeliveryDetail } from "./delivery.present";

const path = `${API_PREFIX}/deliveries`;
const common = { tags: ["Webhook deliveries"], role: "owner" } as const;

/** Mounts `/api/v1/actions/deliveries`, the webhook deliveries of a company. */
export function mountDeliveries<S extends WebhooksServices, E extends WebhookEnv<S>>(
  call: WebhookCall<S, E>,
  { catalog }: WebhooksApi<S>,
): void {
  const filter = deliveryFilterOf((type) => isRuleType(catalog, type));
  const byId = {
    query: companyQuery,
    params: uuidPath,
    input: ({ params }: { params: Record<string, string> }) => uuidOf(params.id),
  };
  call(
    {
      ...common,
      method: "get",
      path,
      summary: "List deliveries, newest first",
      query: deliveryQueryOf(filter, ruleTypes(catalog)),
      permit: ({ caller, request }) => {
        const isOfRun = new URL(request.url).searchParams.has("scheduled_job_run_id");
        if (isOfRun && !caller.isStaff) throw new Problem("forbidden");
      },
      input: ({ query }) => ({ page: readPage(query, logPosition, byNumber), filterValues: parse(filter, query) }),
      reads: ({ input, ...readInput }) => ({
        deliveries: selectDeliveries(companyOf(readInput), input.filterValues, input.page),
      }),
      responses: { 200: jsonResponse(deliveryPage, "A page") },
    },
    ({ c, caller, input, results }) => {
      const page = splitScan(results.deliveries.rows, input.page, (row) => [row.position_time, row.position_id]);
      // A run may attempt a delivery twice, when a user requeues it during the run.
      const deliveries = [...new Map(page.rows.map((row) => [row.id, row])).values()];
      return c.json(
        presentPage(input.page, { ...page, rows: deliveries }, (row) => presentDelivery(row, caller.isStaff)),
      );
    },
  );
  call(
    {
      ...common,
      ...byId,
      method: "get",
      path: `${path}/{id}`,
      summary: "Get a delivery with its attempts and payload",
      reads: ({ input }) => ({ delivery: selectDelivery(input) }),
      row: ({ results, ...access }) => rowInScope(results.delivery.first, access),
      responses: { 200: jsonResponse(deliveryDetailSchema, "The delivery") },
    },
    async ({ c, services, caller, row }) =>
      c.json(presentDeliveryDetail(await withEnvelope(services.webhooks, row), caller.isStaff)),
  );
  call(
    {
      ...common,
      ...byId,
      method: "post",
      path: `${path}/{id}/requeue`,
      summary: "Requeue a dead or failed delivery",
      companyInBody: true,
      reads: ({ input }) => ({ delivery: selectDelivery(input) }),
      permit: countMutation,
      row: ({ results, ...access }) => rowInScope(results.delivery.first, access),
      responses: { 200: jsonResponse(deliverySchema, "The delivery, which is waiting again") },
      errorCodes: ["rule_deleted", "delivery_not_requeueable"],
    },
    async ({ c, services, caller, scope, row }) =>
      c.json(presentDelivery(await requeue(services.webhooks, row, scope), caller.isStaff)),
  );
}
