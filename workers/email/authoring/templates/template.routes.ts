import * as z from "zod";
import type { TemplateRow } from "../../../../db/email/rows";
import { EMAIL_LANGUAGES } from "../../../../schemas/email/content/catalog-texts";
import { templateListSchema, templateSchema } from "../../../../schemas/email/content/templates";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { runAudited } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentResourcePage, readPage, splitPage } from "../../../kit/http/paging/page";
import { rowByNumber } from "../../../kit/http/resource";
import { declaredTokens } from "../../content/catalog/variables";
import { READER_TOKENS } from "../../content/documents/document-text";
import {
  type RequestedEvent,
  requestedEvent,
  resolveEvent,
  SHARED_VARIABLES,
  selectOwnType,
} from "../../content/event-types/own-event";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { presentTemplate } from "./template.present";
import { findTemplate, hideTemplate, listTemplates, listTemplatesOfOwnType } from "./template.store";

const PATH = "/api/v1/templates";
const MAX_PAGE = 200;
const tags = ["Templates"];
const listQuery = lazySchema(() =>
  companyQuery.unwrap().extend({
    event_type: z.string().optional().describe("only custom templates whose tokens this event of the catalog declares"),
    limit: z.string().optional().meta({ default: MAX_PAGE }),
    cursor: z.string().optional(),
  }),
);
/** The tokens that templates for own events may use besides their variables. */
const SHARED_TOKENS = SHARED_VARIABLES.map(({ token }) => token);
const positionSchema = lazySchema(() => z.tuple([z.string(), z.enum(EMAIL_LANGUAGES), z.int()]));

const rowRoute = {
  ...rowByNumber(findTemplate),
  tags,
  path: `${PATH}/{id}`,
  role: "row",
  missingCode: "template_not_found",
} as const;

/** `/api/v1/templates`: the custom templates of a company. Email rules use them as content. */
export function mountTemplates({ call }: EmailService): void {
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary: "List the custom templates of a company, by event, language and id",
      role: "owner",
      query: listQuery,
      input: ({ query }) => ({
        ...readPage(query, positionSchema, { defaultLimit: MAX_PAGE }),
        event: query.event_type === undefined ? null : requireRequested(query.event_type),
      }),
      reads: ({ companyId, input: { after, limit, event } }) => {
        const [eventType, language, afterId] = after ?? ["", "en" as const, 0];
        const page = { companyId, eventType, language, afterId, limit: limit + 1 };
        const ownType = selectOwnType(event, companyId);
        if (event !== null && ownType !== null) {
          const filter = { ownType: event.event_type, tokens: SHARED_TOKENS };
          return { ownType, customTemplates: listTemplatesOfOwnType({ ...page, ...filter }) };
        }
        const tokens = event?.platform === undefined ? null : [...declaredTokens(event.platform), ...READER_TOKENS];
        const filter = { tokens };
        return { ownType, customTemplates: listTemplates({ ...page, ...filter }) };
      },
      responses: { 200: jsonResponse(templateListSchema, "One page of custom templates") },
      errorCodes: ["event_unknown"],
    },
    ({ c, input, results }) => {
      if (input.event !== null && resolveEvent(input.event, results.ownType) === undefined)
        throw new Problem("event_unknown");
      const position = (row: TemplateRow) => [row.event_type, row.language, row.id];
      const templatePage = splitPage(results.customTemplates.rows, input.limit, position);
      return c.json(presentResourcePage("templates", templatePage, presentTemplate));
    },
  );
  call(
    {
      ...rowRoute,
      method: "get",
      summary: "Get a custom template",
      responses: { 200: jsonResponse(templateSchema, "The custom template") },
    },
    ({ c, row }) => c.json(presentTemplate(row)),
  );
  call(
    {
      ...rowRoute,
      method: "delete",
      summary: "Delete a custom template that no rule, broadcast or newsletter uses; waiting mail keeps its content",
      responses: { 204: { description: "Deleted" } },
      errorCodes: ["template_in_use"],
    },
    async ({ c, services, caller, row: { id, company_id: companyId, event_type } }) => {
      const entry = { companyId, action: "template.deleted", target: `template:${id}`, changes: { event_type } };
      const isHidden = await runAudited(services, caller, hideTemplate({ id, now: services.clock.now() }), entry);
      if (!isHidden) throw new Problem("template_in_use");
      return c.body(null, 204);
    },
  );
}

/** Returns the event of a query. Throws 400 `event_unknown` when neither the platform nor a company can have it. */
function requireRequested(eventType: string): RequestedEvent {
  const event = requestedEvent(eventType);
  if (event === null) throw new Problem("event_unknown");
  return event;
}
