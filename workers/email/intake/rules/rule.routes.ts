import * as z from "zod";
import { ruleBodySchema, ruleChangeSchema, ruleListSchema, ruleSchema } from "../../../../schemas/email/intake/rules";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { actorOf } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { readPage, splitPage } from "../../../kit/http/paging/page";
import { rowByNumber } from "../../../kit/http/resource";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { builtInStatements, missingBuiltIns } from "./built-in";
import { createRule, editRule, openRules, removeRule } from "./rule";
import { presentRule } from "./rule.present";
import { findRule, listRules } from "./rule.store";
import { readNewRule, readRuleChange } from "./rule-input";

const PATH = "/api/v1/rules";
const PAGE_SIZE = 200;
const tags = ["Rules"];
const listQuery = lazySchema(() =>
  companyQuery.unwrap().extend({
    service: z.string().optional(),
    limit: z.string().optional(),
    cursor: z.string().optional(),
  }),
);
const positionSchema = lazySchema(() => z.tuple([z.string(), z.int(), z.int()]));
/** The position before the first rule. */
const START = ["", 0, 0] as const;

const ofRule = { ...rowByNumber(findRule), tags, path: `${PATH}/{id}`, role: "row" } as const;

/** `/api/v1/rules`: the email rules of a company. */
export function mountRules({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary:
        "List the email rules of a company, ordered by event and creation time; the first call creates the built-in rules",
      role: "owner",
      query: listQuery,
      input: ({ query }) => ({
        ...readPage(query, positionSchema, { defaultLimit: PAGE_SIZE }),
        service: query.service,
      }),
      reads: ({ companyId, input }) => ({ rules: rulesPage(companyId, input), missing: missingBuiltIns(companyId) }),
      responses: { 200: jsonResponse(ruleListSchema, "One page of rules") },
      errorCodes: ["library_not_synced", "renderer_unavailable"],
    },
    async ({ c, services, scope: companyId, input, results: { rules, missing } }) => {
      const insertBuiltIns =
        missing.rows.length === 0 ? [] : await builtInStatements(services, companyId, missing.rows);
      const { page } =
        insertBuiltIns.length === 0
          ? { page: rules }
          : await services.dbOf(companyId).batch({ created: insertBuiltIns, page: rulesPage(companyId, input) });
      const { rows, next_cursor } = splitPage(page.rows, input.limit, (row) => [
        row.event_type,
        row.created_at,
        row.id,
      ]);
      const open = await openRules(services, rows);
      return c.json({ company_id: companyId, rules: open.map(presentRule), next_cursor });
    },
  );
  call(
    {
      method: "post",
      path: PATH,
      tags,
      summary: "Create an email rule and publish its custom template, copied from a design of the library",
      role: "owner",
      query: companyQuery,
      body: {
        schema: ruleBodySchema,
        read: (raw, { services, scope }) => readNewRule(services, scope, raw),
      },
      responses: { 201: jsonResponse(ruleSchema, "The rule") },
      errorCodes: [
        ...(["event_unknown", "language_not_available", "library_not_found", "limit_reached"] as const),
        ...(["auth_link_missing", "auth_link_host_not_allowed", "auth_link_misplaced", "auth_literal_link"] as const),
        "renderer_unavailable",
      ],
    },
    async ({ c, services, caller, scope, body }) => {
      const created = await createRule(services, scope, body, actorOf(caller));
      if (created === null) throw new Problem("limit_reached");
      return c.json(presentRule(created), 201);
    },
  );
  call(
    {
      ...ofRule,
      method: "get",
      summary: "Get an email rule",
      responses: { 200: jsonResponse(ruleSchema, "The rule") },
    },
    async ({ c, services, row }) => c.json((await openRules(services, [row])).map(presentRule)[0]),
  );
  call(
    {
      ...ofRule,
      method: "patch",
      summary: "Change the recipients, language or state of an email rule; its event and custom template stay",
      body: { schema: ruleChangeSchema, read: (raw) => readRuleChange(raw) },
      responses: { 200: jsonResponse(ruleSchema, "The rule") },
      errorCodes: ["language_not_available", "rule_built_in"],
    },
    async ({ c, services, caller, row, body }) =>
      c.json(presentRule(await editRule(services, row, body, actorOf(caller)))),
  );
  call(
    {
      ...ofRule,
      method: "delete",
      summary: "Delete an email rule and its custom template; waiting mail is still sent",
      responses: { 204: { description: "Deleted" } },
      errorCodes: ["rule_built_in"],
    },
    async ({ c, services, caller, row }) => {
      await removeRule(services, row, actorOf(caller));
      return c.body(null, 204);
    },
  );
}

type PageOfRules = { service: string | undefined; limit: number; after: readonly [string, number, number] | null };

const rulesPage = (companyId: number, { service, limit, after }: PageOfRules) => {
  const [afterType, afterTime, afterId] = after ?? START;
  return listRules({ companyId, service: service ?? null, afterType, afterTime, afterId, limit: limit + 1 });
};
