import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import {
  ruleBodyOf,
  ruleChange,
  ruleFilter,
  rulePage,
  ruleQueryOf,
  ruleSchema,
  ruleWithSecretSchema,
} from "../../../../schemas/webhooks/subscriptions";
import { jsonResponse } from "../../http/openapi/responses";
import { byNumber, type Page, presentPage, readPage, splitPage } from "../../http/paging/page";
import { parse } from "../../http/request/parse";
import { invalid } from "../../problem";
import { companyOf } from "../access/operations";
import type { WebhookCall, WebhookEnv, WebhooksApi, WebhooksServices } from "../api";
import type { EventCatalog } from "../events/catalog";
import { offeredTypes } from "../events/catalog";
import { createRule, editRule, type RulePosition, removeRule, selectRules } from "./subscription";
import { presentRule } from "./subscription.present";
import { isRuleType, readNewRule, readRuleChange, ruleTypes } from "./subscription-input";
import { common, ofRule, rulesPath as path, permitChange } from "./subscription-operations";

const DEFAULT_PAGE_SIZE = 100;
const position = lazySchema(() => z.tuple([z.string(), z.string(), z.int()]));

/** Mounts `/api/v1/actions/rules`, the webhook subscriptions of a company. */
export function mountRules<S extends WebhooksServices, E extends WebhookEnv<S>>(
  call: WebhookCall<S, E>,
  { catalog }: WebhooksApi<S>,
): void {
  call(
    {
      ...common,
      method: "get",
      path,
      summary: "List webhooks, ordered by event type, name and id",
      query: ruleQueryOf(ruleTypes(catalog)),
      input: ({ query }) => readListQuery(query, catalog),
      reads: ({ input, services, ...readInput }) =>
        selectRules(companyOf(readInput), input.filter, input.page, services.webhooks.clock.now()),
      responses: { 200: jsonResponse(rulePage, "A page") },
    },
    ({ c, services, input: { page }, results }) => {
      const now = services.webhooks.clock.now();
      const rulesPage = splitPage(results.rows.rows, page.limit, (row) => [row.event_type, row.name, row.id]);
      const count = results.count?.first?.count ?? 0;
      return c.json(presentPage(page, { ...rulesPage, count }, (row) => presentRule(row, now)));
    },
  );
  call(
    {
      ...common,
      method: "post",
      path,
      summary: "Create a webhook; only this response contains its secret",
      query: companyQuery,
      permit: permitChange,
      body: {
        schema: ruleBodyOf(offeredTypes(catalog)),
        read: (raw, { services }) => readNewRule(services.webhooks, catalog, raw),
      },
      responses: { 201: jsonResponse(ruleWithSecretSchema, "The rule") },
      errorCodes: ["rule_limit_reached"],
    },
    async ({ c, services: { webhooks }, scope, body }) => {
      const { row, secret } = await createRule(webhooks, scope, body);
      return c.json({ ...presentRule(row, webhooks.clock.now()), secret }, 201);
    },
  );
  call(
    {
      ...common,
      ...ofRule,
      method: "get",
      path: `${path}/{id}`,
      summary: "Get a webhook",
      responses: { 200: jsonResponse(ruleSchema, "The rule") },
    },
    ({ c, services, row }) => c.json(presentRule(row, services.webhooks.clock.now())),
  );
  call(
    {
      ...common,
      ...ofRule,
      method: "patch",
      path: `${path}/{id}`,
      summary: "Change a webhook",
      permit: permitChange,
      body: {
        schema: ruleChange,
        read: (raw, { services, caller, row }) => readRuleChange(services.webhooks, caller, row, raw),
      },
      responses: { 200: jsonResponse(ruleSchema, "The rule") },
    },
    async ({ c, services: { webhooks }, caller, scope, row, body }) => {
      const edited = await editRule(webhooks, { ...scope, byStaff: caller.isStaff }, row, body);
      return c.json(presentRule(edited, webhooks.clock.now()));
    },
  );
  call(
    {
      ...common,
      ...ofRule,
      method: "delete",
      path: `${path}/{id}`,
      summary: "Delete a webhook; its waiting deliveries are cancelled",
      companyInBody: true,
      permit: permitChange,
      responses: { 204: { description: "Deleted" } },
    },
    async ({ c, services, scope, row }) => {
      await removeRule(services.webhooks, scope, row);
      return c.body(null, 204);
    },
  );
}

/**
 * Reads the page and the filter of a list of subscriptions; throws a 400 that names the field. A cursor replaces the
 * page number.
 */
function readListQuery(query: Record<string, string>, catalog: EventCatalog) {
  const page: Page<RulePosition> = readPage(query, position, { ...byNumber, defaultLimit: DEFAULT_PAGE_SIZE });
  const filter = parse(ruleFilter, query);
  if (filter.event_type !== undefined && !isRuleType(catalog, filter.event_type)) {
    throw invalid({ event_type: ["invalid"] });
  }
  return { filter, page };
}
