import * as z from "zod";
import {
  publishedSchema,
  versionCreatedSchema,
  versionInputSchema,
  versionListSchema,
  versionSchema,
} from "../../../../schemas/email/content/templates";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { actorOf, changeEntry } from "../../../kit/audit/audit";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { encodeCursor } from "../../../kit/http/paging/cursor";
import { readPage } from "../../../kit/http/paging/page";
import { rowIdOf } from "../../../kit/http/request/path-id";
import { inScope } from "../../../kit/http/resource";
import { MAX_DOCUMENT_BODY_BYTES } from "../../content/documents/document-input";
import { selectTypeOfTemplate } from "../../content/event-types/own-event";
import type { EmailService } from "../../http";
import { presentVersion } from "./template.present";
import { findTemplate } from "./template.store";
import { findNewestTexts, findVersion, listVersions } from "./version.store";
import { readDraft } from "./version-input";
import { createDraft, publishVersion } from "./versions";

const PATH = "/api/v1/templates/{id}/versions";
const MAX_PAGE = 200;
/** Maximum bytes of documents per page. A page that would exceed this size has fewer versions. */
const MAX_PAGE_BYTES = 8_000_000;
const listQuery = lazySchema(() =>
  companyQuery
    .unwrap()
    .extend({ limit: z.string().optional().meta({ default: MAX_PAGE }), cursor: z.string().optional() }),
);
const positionSchema = lazySchema(() => z.tuple([z.int()]));
const numberPath = lazySchema(() => rowIdPath.unwrap().extend({ number: z.int().min(1) }));

type Params = { params: Record<string, string> };
type VersionPath = { id: number | null; number: number | null };

const common = { tags: ["Templates"], role: "row", missingCode: "template_not_found" } as const;
const versionRoute = {
  ...common,
  query: companyQuery,
  params: numberPath,
  input: ({ params }: Params): VersionPath => ({ id: rowIdOf(params.id), number: rowIdOf(params.number) }),
  reads: ({ input: { id, number } }: { input: VersionPath }) => ({
    template: id === null ? null : findTemplate({ id }),
    version: id === null || number === null ? null : findVersion({ templateId: id, number }),
  }),
} as const;

/** `/api/v1/templates/{id}/versions`: list, create and publish the versions of a custom template. */
export function mountVersions({ call }: EmailService): void {
  call(
    {
      ...common,
      method: "get",
      path: PATH,
      summary: "List the versions of a custom template, ascending",
      query: listQuery,
      params: rowIdPath,
      input: ({ params, query }) => ({
        id: rowIdOf(params.id),
        page: readPage(query, positionSchema, { defaultLimit: MAX_PAGE }),
      }),
      reads: ({ input: { id, page } }) => {
        const pageInput = { number: page.after?.[0] ?? 0, limit: page.limit, maxBytes: MAX_PAGE_BYTES };
        return {
          template: id === null ? null : findTemplate({ id }),
          newest: id === null ? null : findNewestTexts({ templateId: id }),
          versions: id === null ? null : listVersions({ templateId: id, ...pageInput }),
        };
      },
      row: ({ scope, results }) => inScope(results.template?.first, scope),
      responses: { 200: jsonResponse(versionListSchema, "One page of versions") },
    },
    ({ c, results }) => {
      const rows = results.versions?.rows ?? [];
      const last = rows.at(-1)?.number;
      const hasMore = last !== undefined && last < (results.newest?.first?.number ?? 0);
      return c.json({ versions: rows.map(presentVersion), next_cursor: hasMore ? encodeCursor([last]) : null });
    },
  );
  call(
    {
      ...versionRoute,
      method: "get",
      path: `${PATH}/{number}`,
      summary: "Get a version of a custom template",
      row: ({ scope, results }) => inScope(results.template?.first, scope) && results.version?.first,
      responses: { 200: jsonResponse(versionSchema, "The version") },
    },
    ({ c, row }) => c.json(presentVersion(row)),
  );
  call(
    {
      ...common,
      method: "post",
      path: PATH,
      summary: "Store a draft of a custom template, or start it over from a template of the library",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => rowIdOf(params.id),
      reads: ({ input: id }) => ({
        template: id === null ? null : findTemplate({ id }),
        ownType: id === null ? null : selectTypeOfTemplate(id),
        newest: id === null ? null : findNewestTexts({ templateId: id }),
      }),
      row: ({ scope, results }) => {
        const template = inScope(results.template?.first, scope);
        return template && { template, ownType: results.ownType?.first ?? null, newest: results.newest?.first ?? null };
      },
      body: {
        schema: versionInputSchema,
        limit: MAX_DOCUMENT_BODY_BYTES,
        read: (raw, { services, row }) => readDraft(services, row, raw),
      },
      responses: { 201: jsonResponse(versionCreatedSchema, "The draft") },
      errorCodes: [
        "library_not_found",
        "event_unknown",
        "broadcast_not_draft",
        "limit_reached",
        "renderer_unavailable",
      ],
    },
    async ({ c, services, caller, row: { template }, body }) => {
      const { id, company_id: companyId } = template;
      const changes = body.source === null ? {} : { source: body.source.source_key };
      const audit = { action: "template.version_created", target: `template:${id}`, changes };
      const entry = changeEntry({ ...audit, actor: actorOf(caller), companyId, now: services.clock.now() });
      const number = await createDraft(services, template, body, { userId: caller.userId, entry });
      return c.json({ number, state: "draft" }, 201);
    },
  );
  call(
    {
      ...versionRoute,
      method: "post",
      path: `${PATH}/{number}/publish`,
      summary: "Publish a version of a custom template",
      reads: ({ input }) => ({
        ...versionRoute.reads({ input }),
        ownType: input.id === null ? null : selectTypeOfTemplate(input.id),
      }),
      row: ({ scope, results }) => {
        const template = inScope(results.template?.first, scope);
        const version = results.version?.first;
        return template && version && { template, ownType: results.ownType?.first ?? null, version };
      },
      responses: { 200: jsonResponse(publishedSchema, "The version is published; the previous one is archived") },
      errorCodes: [
        ...(["event_unknown", "auth_link_missing", "auth_link_host_not_allowed"] as const),
        ...(["auth_link_misplaced", "auth_literal_link", "unsubscribe_link_missing"] as const),
        ...(["confirm_link_missing", "broadcast_not_draft"] as const),
      ],
    },
    async ({ c, services, caller, row: { version, ...typed } }) => {
      const { template } = typed;
      const { id, company_id: companyId } = template;
      const { number, checksum } = version;
      const audit = { action: "template.published", target: `template:${id}`, changes: { number } };
      const entry = changeEntry({ ...audit, actor: actorOf(caller), companyId, now: services.clock.now() });
      const warnings = await publishVersion(services, typed, version, entry);
      return c.json({ number, state: "published", checksum, warnings });
    },
  );
}
