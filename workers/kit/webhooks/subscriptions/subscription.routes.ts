import * as z from "zod";
import {
  requeueAnswer,
  requeueBody,
  rotateBody,
  ruleBody,
  ruleChange,
  ruleFilter,
  rulePage,
  ruleQuery,
  ruleSchema,
  ruleWithSecretSchema,
  testAnswer,
} from "../../../../schemas/webhooks/subscriptions";
import { jsonBody, jsonResponse } from "../../http/openapi/responses";
import { encodeCursor, readPage } from "../../http/paging/cursor-page";
import { readNumberPage } from "../../http/paging/number-page";
import { readLate } from "../../http/request/late-query";
import { parse } from "../../http/request/parse";
import { rowIdOf } from "../../http/request/path-id";
import { invalid, Problem } from "../../problem";
import { limitTest, requireInScope, rowScope } from "../access";
import type { ActionsApi, ActionsApp, ActionsHandlerContext, ActionsServices } from "../api";
import { requeueOfRule } from "../deliveries/requeue.store";
import { type ListResults, readListResults } from "../list-results";
import { admitMutation, companyQuery, idParam, operationsOf, prefix } from "../operations";
import { presentRule } from "../present";
import { createRule, editRule, removeRule, rotateRuleSecret } from "./subscription";
import { findRule, type RulePosition, type RuleRow, ruleListReads } from "./subscription.store";
import { isRuleType, readNewRule, readRotation, readRuleChange, refusePrivateTargets } from "./subscription-input";
import { sendTest } from "./test-delivery";

const WEEK_MS = 7 * 86_400_000;
const DEFAULT_PAGE_SIZE = "100";
const position = z.tuple([z.string(), z.string(), z.int()]);

/** `/api/v1/actions/rules`: the webhook rules of a company (details of Document 3, 4.9). */
export function mountRules<S extends ActionsServices>(app: ActionsApp<S>, api: ActionsApi<S>): void {
  type C = ActionsHandlerContext<S>;
  const { common, reads, writes, writesBody } = operationsOf(api, "Webhook rules");
  const path = `${prefix}/rules`;
  const one = { ...common, path: `${path}/{id}` };
  const target = { query: companyQuery, params: idParam };
  const optional = (schema: z.ZodType) => ({ ...jsonBody(schema), required: false });

  app.route(
    {
      ...common,
      method: "get",
      path,
      summary: "Rules by event type, name and id",
      request: { query: ruleQuery },
      responses: { 200: jsonResponse(rulePage, "A page"), ...reads(["not_found"]) },
    },
    (c) => list(c, api),
  );
  app.route(
    {
      ...common,
      method: "post",
      path,
      summary: "Make a rule; the answer alone shows its secret",
      request: { query: companyQuery, body: jsonBody(ruleBody) },
      responses: {
        201: jsonResponse(ruleWithSecretSchema, "The rule"),
        ...writesBody(["not_found", "rule_limit_reached"]),
      },
    },
    (c) => create(c, api),
  );
  app.route(
    {
      ...one,
      method: "get",
      summary: "A rule",
      request: target,
      responses: { 200: jsonResponse(ruleSchema, "The rule"), ...reads(["not_found"]) },
    },
    async (c) => c.json(presentRule(await readOne(c, api), c.get("services").actions.clock.now())),
  );
  app.route(
    {
      ...one,
      method: "patch",
      summary: "Change a rule",
      request: { ...target, body: jsonBody(ruleChange) },
      responses: { 200: jsonResponse(ruleSchema, "The rule"), ...writesBody(["not_found"]) },
    },
    (c) => change(c, api),
  );
  app.route(
    {
      ...one,
      method: "delete",
      summary: "Delete a rule; its waiting deliveries are given up",
      request: target,
      responses: { 204: { description: "It is gone" }, ...writes(["not_found"]) },
    },
    async (c: C) => {
      const { rule, context, changer } = await admitRule(c, api);
      await removeRule(context, changer, rule);
      return c.body(null, 204);
    },
  );
  app.route(
    {
      ...common,
      method: "post",
      path: `${path}/{id}/rotate-secret`,
      summary: "Replace the secret; with an overlap the old one signs too until its end",
      request: { ...target, body: optional(rotateBody) },
      responses: {
        200: jsonResponse(ruleWithSecretSchema, "The rule"),
        ...writesBody(["not_found", "conflict"]),
      },
    },
    async (c: C) => {
      const { rule, context, changer, body } = await admitRule(c, api);
      const { row, secret } = await rotateRuleSecret(context, changer, rule, readRotation(body.take()));
      return c.json({ ...presentRule(row, context.clock.now()), secret });
    },
  );
  app.route(
    {
      ...common,
      method: "post",
      path: `${path}/{id}/send-test`,
      summary: "Post a sample to the URL of the rule",
      request: target,
      responses: {
        200: jsonResponse(testAnswer, "The target accepted it"),
        ...writes(["not_found", "rule_disabled", "webhook_test_failed"]),
      },
    },
    (c) => test(c, api),
  );
  app.route(
    {
      ...common,
      method: "post",
      path: `${path}/{id}/requeue`,
      summary: "Send deliveries of the rule again that are dead or failed, at most 20,000 a call",
      request: { ...target, body: optional(requeueBody) },
      responses: { 200: jsonResponse(requeueAnswer, "How many"), ...writesBody(["not_found"]) },
    },
    async (c: C) => {
      const { rule, context, body } = await admitRule(c, api);
      const now = context.clock.now();
      const { status, since = now - WEEK_MS, until = Number.MAX_SAFE_INTEGER } = parse(requeueBody, body.take());
      return c.json(await requeueOfRule(context.db, rule.id, { status, since, until }, now));
    },
  );
}

async function list<S extends ActionsServices>(c: ActionsHandlerContext<S>, api: ActionsApi<S>): Promise<Response> {
  const services = c.get("services");
  const { db, clock } = services.actions;
  const wish = readLate(() => readListQuery(c.req.query(), api));
  const reads = (companyId: number) =>
    wish instanceof Problem ? [] : ruleListReads(db, companyId, wish.filter, wish.page);
  const { results } = await api.admit<ListResults<RuleRow>>(services, c.req.raw, { reads });
  if (wish instanceof Problem) throw wish;
  const { page } = wish;
  const { rows, count } = readListResults(results);
  const shown = rows.slice(0, page.pageSize);
  const last = shown.at(-1);
  const hasMore = rows.length > page.pageSize && last !== undefined;
  const answer = {
    page_size: page.pageSize,
    results: shown.map((row) => presentRule(row, clock.now())),
    next_cursor: hasMore ? encodeCursor([last.event_type, last.name, last.id]) : null,
  };
  return c.json(page.after ? answer : { count, page: page.page, ...answer });
}

/** Page and filter of a list of rules; 400 with the field. A cursor replaces the page. */
function readListQuery<S extends ActionsServices>(query: Record<string, string>, { catalog }: ActionsApi<S>) {
  const page = readNumberPage({ page_size: DEFAULT_PAGE_SIZE, ...query });
  const after: RulePosition | null = readPage({ cursor: query.cursor }, position).after;
  const filter = parse(ruleFilter, query);
  if (filter.event_type !== undefined && !isRuleType(catalog, filter.event_type)) {
    throw invalid({ event_type: ["invalid"] });
  }
  return { filter, page: { ...page, ...(after ? { offset: 0 } : {}), after } };
}

async function create<S extends ActionsServices>(c: ActionsHandlerContext<S>, api: ActionsApi<S>): Promise<Response> {
  const { company, body, ...changer } = await admitMutation(api, c);
  refusePrivateTargets(changer.caller, body.seen);
  const context = c.get("services").actions;
  const input = await readNewRule(context, api.catalog, body.take());
  const { row, secret } = await createRule(context, changer, company.id, input);
  return c.json({ ...presentRule(row, context.clock.now()), secret }, 201);
}

async function change<S extends ActionsServices>(c: ActionsHandlerContext<S>, api: ActionsApi<S>): Promise<Response> {
  const { changer, rule, context, body } = await admitRule(c, api);
  const input = await readRuleChange(context, changer.caller, rule, body.take());
  const row = await editRule(context, changer, rule, input);
  return c.json(presentRule(row, context.clock.now()));
}

async function test<S extends ActionsServices>(c: ActionsHandlerContext<S>, api: ActionsApi<S>): Promise<Response> {
  const services = c.get("services");
  const { rule, company: own, context } = await admitRule(c, api);
  await limitTest(services, rule.company_id);
  const company = own.id === rule.company_id ? own : await api.companyOf(services, rule.company_id);
  return c.json(await sendTest(context, api.catalog, rule, company));
}

/** The rule of the path, for a caller who may read it; 404. */
async function readOne<S extends ActionsServices>(c: ActionsHandlerContext<S>, api: ActionsApi<S>): Promise<RuleRow> {
  const services = c.get("services");
  const { db } = services.actions;
  const reads = () => [findRule(db, null, rowIdOf(c.req.param("id")))];
  const admission = await api.admit<[RuleRow]>(services, c.req.raw, { reads });
  return requireInScope(admission.results[0].results[0], rowScope(admission, c.req.raw));
}

/** The rule of the path, for a caller who may change it; what staff alone may ask for is judged before 404. */
async function admitRule<S extends ActionsServices>(c: ActionsHandlerContext<S>, api: ActionsApi<S>) {
  const context = c.get("services").actions;
  const reads = () => [findRule(context.db, null, rowIdOf(c.req.param("id")))];
  const isOptional = c.req.method !== "PATCH";
  const admission = await admitMutation<S, [RuleRow]>(api, c, { isOptional, reads });
  const { company, body, results, ...changer } = admission;
  refusePrivateTargets(changer.caller, body.seen);
  const rule = requireInScope(results[0].results[0], rowScope(admission, c.req.raw, body.companyId));
  return { changer, company, body, rule, context };
}
