import * as z from "zod";
import {
  libraryChangeSchema,
  libraryInputSchema,
  libraryListSchema,
  libraryTemplateSchema,
} from "../../../../schemas/email/content/library";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { actorOf, changeEntry, newRowEntry, runAudited } from "../../../kit/audit/audit";
import { etagOf, isUnchanged, revalidated } from "../../../kit/http/etag";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { encodeCursor } from "../../../kit/http/paging/cursor";
import { readPage } from "../../../kit/http/paging/page";
import { anyRowByNumber } from "../../../kit/http/resource";
import { invalid } from "../../../kit/problem";
import { DESIGN_SETS } from "../../content/design-sets/sets";
import { MAX_DOCUMENT_BODY_BYTES } from "../../content/documents/document-input";
import type { EmailService } from "../../http";
import { Problem } from "../../problem";
import { pageOf, positionOf } from "./library-page";
import { changeTemplate, createTemplate, readChange, readNewTemplate } from "./library-template";
import { presentLibraryItem, presentLibraryTemplate } from "./library-template.present";
import { deleteTemplate, findTemplate, listComposed, listMetadata, listSummaries } from "./library-template.store";

const PATH = "/api/v1/library";
const MAX_PAGE = 240;
const tags = ["Library"];
const listQuery = lazySchema(() =>
  companyQuery.unwrap().extend({
    fields: z.enum(["summary"]).optional().describe("`summary` leaves the HTML out"),
    limit: z.string().optional().meta({ maximum: MAX_PAGE, default: MAX_PAGE }),
    cursor: z.string().optional(),
  }),
);
const positionSchema = lazySchema(() => z.tuple([z.int(), z.string(), z.int()]));
const sets = DESIGN_SETS.map(({ key, name }) => ({ key, name }));

/** Returns the template if it is built in or in the scope of the caller, else null. A null scope includes all companies. */
const visibleInScope = <Row extends { company_id: number | null }>(
  row: Row | null | undefined,
  scope: number | null,
) => (row && (row.company_id === null || scope === null || row.company_id === scope) ? row : null);

const rowRoute = {
  ...anyRowByNumber(findTemplate),
  tags,
  path: `${PATH}/{id}`,
  role: "row",
  missingCode: "library_not_found",
} as const;

/** `/api/v1/library`: the built-in mail designs and the designs of a company. */
export function mountLibrary({ call }: EmailService): void {
  const templateResponse = jsonResponse(libraryTemplateSchema, "The template");
  call(
    {
      method: "get",
      path: PATH,
      tags,
      summary:
        "List the library of a company: built-in templates by set and name, then the company's own templates by name",
      role: "owner",
      query: listQuery,
      input: ({ query }) => {
        const { fields } = query;
        if (fields !== undefined && fields !== "summary") throw invalid({ fields: ["invalid"] });
        const page = readPage(query, positionSchema, { defaultLimit: MAX_PAGE, maxLimit: MAX_PAGE });
        return { ...page, hasDesigns: fields === undefined };
      },
      reads: ({ companyId }) => ({ metadata: listMetadata({ companyId: companyId ?? 0 }) }),
      responses: {
        200: jsonResponse(libraryListSchema, "One page of templates, with a strong ETag"),
        304: { description: "Unchanged since the ETag of If-None-Match" },
      },
    },
    async ({ c, services: { dbOf }, scope: companyId, input, results }) => {
      const { rows, hasMore } = pageOf(results.metadata.rows, input);
      const last = rows.at(-1);
      const next_cursor = hasMore && last !== undefined ? encodeCursor(positionOf(last)) : null;
      const headers = revalidated(await etagOf(JSON.stringify([sets, input.hasDesigns, rows, next_cursor])));
      if (isUnchanged(c.req.header("if-none-match"), headers.etag)) return c.body(null, 304, headers);
      const ids = rows.map(({ id }) => id);
      const designRows = await dbOf(companyId).all(input.hasDesigns ? listComposed({ ids }) : listSummaries({ ids }));
      const items = new Map(designRows.map((row) => [row.id, presentLibraryItem(row)]));
      const templates = ids.flatMap((id) => items.get(id) ?? []);
      return c.json({ sets, templates, next_cursor }, 200, headers);
    },
  );
  call(
    {
      method: "post",
      path: PATH,
      tags,
      summary: "Add a template to the library of a company, empty or as a copy of another",
      role: "owner",
      query: companyQuery,
      body: {
        schema: libraryInputSchema,
        limit: MAX_DOCUMENT_BODY_BYTES,
        read: (raw, { services, scope }) => readNewTemplate(services, scope, raw),
      },
      responses: { 201: jsonResponse(libraryTemplateSchema, "The new template") },
      errorCodes: ["library_not_found", "limit_reached", "renderer_unavailable"],
    },
    async ({ c, services, caller, scope: companyId, body }) => {
      const audit = {
        action: "library_template.created",
        target: "library_template",
        changes: { set: body.set_key },
      };
      const entry = newRowEntry({ ...audit, actor: actorOf(caller), companyId, now: services.clock.now() });
      return c.json(presentLibraryTemplate(await createTemplate(services, companyId, body, entry)), 201);
    },
  );
  call(
    {
      ...rowRoute,
      method: "get",
      summary: "Get a template of the library",
      row: ({ scope, results }) => visibleInScope(results.row?.first, scope),
      responses: { 200: templateResponse },
    },
    ({ c, row }) => c.json(presentLibraryTemplate(row)),
  );
  call(
    {
      ...rowRoute,
      method: "put",
      summary: "Change a template of the company; missing fields keep their value",
      row: ({ scope, results }) => visibleInScope(results.row?.first, scope),
      body: {
        schema: libraryChangeSchema,
        limit: MAX_DOCUMENT_BODY_BYTES,
        read: (raw, { services, row }) => readChange(services, row, raw),
      },
      responses: { 200: templateResponse },
      errorCodes: ["library_built_in", "conflict", "renderer_unavailable"],
    },
    async ({ c, services, caller, row, body }) => {
      const companyId = requireCompanyDesign(row);
      const fields = (["name", "subject", "preheader"] as const).filter((name) => body[name] !== row[name]);
      const changes = { fields: [...fields, ...(JSON.stringify(body.document) === row.document ? [] : ["document"])] };
      const audit = { action: "library_template.changed", target: `library_template:${row.id}`, changes };
      const entry = changeEntry({ ...audit, actor: actorOf(caller), companyId, now: services.clock.now() });
      return c.json(presentLibraryTemplate(await changeTemplate(services, row, body, entry)));
    },
  );
  call(
    {
      ...rowRoute,
      method: "delete",
      summary: "Delete a template from the library of its company; custom templates made from it stay",
      row: ({ scope, results }) => visibleInScope(results.row?.first, scope),
      responses: { 204: { description: "Deleted" } },
      errorCodes: ["library_built_in"],
    },
    async ({ c, services, caller, row: { id, company_id } }) => {
      const companyId = requireCompanyDesign({ company_id });
      const entry = { companyId, action: "library_template.deleted", target: `library_template:${id}` };
      const isDeleted = await runAudited(services, caller, deleteTemplate({ id, companyId }), entry);
      if (!isDeleted) throw new Problem("library_not_found");
      return c.body(null, 204);
    },
  );
}

/** Returns the company of a template. Throws 409 `library_built_in` for a built-in template. */
function requireCompanyDesign({ company_id }: { company_id: number | null }): number {
  if (company_id === null) throw new Problem("library_built_in");
  return company_id;
}
