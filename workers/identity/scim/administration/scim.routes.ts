import {
  scimEventFilter,
  scimEventPageSchema,
  scimEventQuery,
  scimPreviewBody,
  scimPreviewSchema,
  scimStatusSchema,
} from "../../../../schemas/identity/people/scim";
import { companyQuery } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentPage } from "../../../kit/http/paging/page";
import { splitScan } from "../../../kit/http/paging/scan";
import { parse } from "../../../kit/http/request/parse";
import { readEventPage } from "../../../kit/webhooks/event-log/log-list";
import type { IdentityService } from "../../http";
import { selectTokenCount } from "../clients/client";
import { baseUrl, MAX_BODY_BYTES } from "../protocol/endpoint";
import {
  presentChange,
  presentLastError,
  presentRecentChanges,
  selectChanges,
  selectRecentChanges,
} from "../records/provisioning";
import { previewRequest } from "./preview";

/** Mounts the endpoints for the state and the preview of a company's directory sync, for staff and owners: docs/specification/scim.md */
export function mountScim({ call }: IdentityService): void {
  call(
    {
      tags: ["SCIM"],
      role: "owner",
      method: "get",
      path: "/api/v1/scim",
      summary: "The state of directory sync, its last error and its last changes",
      query: companyQuery,
      reads: ({ companyId }) => ({ tokens: selectTokenCount(companyId), ...selectRecentChanges(companyId) }),
      responses: { 200: jsonResponse(scimStatusSchema, "The state") },
    },
    ({ c, services, scope: company, results }) => {
      const live = results.tokens.first?.live ?? 0;
      return c.json({
        enabled: services.settings.scimEnabled,
        base_url: baseUrl(services, company),
        configured: live > 0,
        active_token_count: live,
        last_provisioning_error: presentLastError(results.lastError.first),
        recent_provisioning_events: presentRecentChanges(results.changes.rows),
      });
    },
  );
  call(
    {
      tags: ["SCIM"],
      role: "owner",
      method: "get",
      path: "/api/v1/scim/events",
      summary: "List the changes that the directory requested, newest first",
      query: scimEventQuery,
      input: ({ query }) => ({ page: readEventPage(query), filter: parse(scimEventFilter, query) }),
      reads: ({ companyId, input: { filter, page } }) => ({ changes: selectChanges(companyId, filter, page) }),
      responses: { 200: jsonResponse(scimEventPageSchema, "A page") },
    },
    ({ c, input: { page }, results }) =>
      c.json(
        presentPage(
          page,
          splitScan(results.changes.rows, page, ({ id }) => [id]),
          presentChange,
        ),
      ),
  );
  call(
    {
      tags: ["SCIM"],
      role: "owner",
      method: "post",
      path: "/api/v1/scim/preview",
      summary: "What a request of the directory would answer and change, without changing anything",
      query: companyQuery,
      body: bodyOf(scimPreviewBody, { limit: MAX_BODY_BYTES, maxDepth: 34 }),
      responses: { 200: jsonResponse(scimPreviewSchema, "The response and the changes") },
    },
    async ({ c, services, scope: company, body }) => c.json(await previewRequest(services, company, body)),
  );
}
