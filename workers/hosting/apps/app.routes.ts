import * as z from "zod";
import { appChangeBody, appPageSchema, appSchema, newAppBody } from "../../../schemas/hosting/app";
import { lazySchema } from "../../../schemas/lazy-schema";
import { pageQuery } from "../../../schemas/page";
import { bodyOf } from "../../kit/http/call";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { byNumber, presentPage, readPage, splitPage } from "../../kit/http/paging/page";
import { findAccess } from "../access/access";
import { limitBy } from "../access/limit";
import type { HostingService } from "../http";
import { changeApp, createApp, removeApp, renewPreview } from "./app";
import { presentApp } from "./app.present";
import { countApps, listApps } from "./app.store";
import { appCall, changesApp, gated, readsApp } from "./app-call";

const PATH = "/hosting/v1/apps";
const tags = ["Apps"];
const position = lazySchema(() => z.tuple([z.int(), z.string().max(36)]));
/** sorts after every id, so that the first page starts with the newest app */
const END = [Number.MAX_SAFE_INTEGER, "~"] as const;

/** Mounts the apps of a company: docs/specification/hosting.md#apps */
export function mountApps({ call }: HostingService): void {
  const response = jsonResponse(appSchema, "The app");
  call(
    {
      ...appCall,
      method: "get",
      path: PATH,
      tags,
      summary: "List the apps of the company, newest first",
      query: pageQuery,
      input: ({ query }) => readPage(query, position, byNumber),
      reads: ({ companyId, input: { after, limit, offset } }) => {
        const [time, before] = after ?? END;
        return {
          apps: listApps({ companyId, time, before, limit: limit + 1, offset }),
          count: countApps({ companyId }),
        };
      },
      responses: { 200: jsonResponse(appPageSchema, "A page") },
      errorCodes: ["hosting_not_configured"],
    },
    ({ c, services, input, results }) => {
      const page = splitPage(results.apps.rows, input.limit, (row) => [row.created_at, row.id]);
      const count = results.count.first?.total ?? 0;
      return c.json(presentPage(input, { ...page, count }, presentApp(services.settings)));
    },
  );
  call(
    {
      ...appCall,
      method: "post",
      path: PATH,
      tags,
      summary: "Create an app",
      description: "Its address is a random slug, so that nobody can claim the name of another company.",
      reads: ({ companyId }) => ({ access: findAccess({ companyId }) }),
      row: (input) => gated(input, true),
      body: bodyOf(newAppBody),
      responses: { 201: response },
      errorCodes: ["hosting_access_denied", "app_quota_exceeded", "app_name_taken", "hosting_not_configured"],
    },
    async ({ c, services, scope, caller, body }) =>
      c.json(presentApp(services.settings)(await createApp(services, scope, caller, body)), 201),
  );
  call(
    {
      ...readsApp,
      method: "get",
      path: `${PATH}/{app}`,
      tags,
      summary: "Get an app by its id, name or slug",
      responses: { 200: response },
      errorCodes: ["hosting_not_configured"],
    },
    ({ c, services, row }) => c.json(presentApp(services.settings)(row)),
  );
  call(
    {
      ...changesApp,
      method: "patch",
      path: `${PATH}/{app}`,
      tags,
      summary: "Change an app; omitted fields keep their values",
      body: bodyOf(appChangeBody),
      responses: { 200: response },
    },
    async ({ c, services, caller, row, body }) =>
      c.json(presentApp(services.settings)(await changeApp(services, caller, row, body))),
  );
  call(
    {
      ...changesApp,
      method: "delete",
      path: `${PATH}/{app}`,
      tags,
      summary: "Delete an app with its deployments and domains",
      limit: limitBy("remove"),
      responses: { 204: { description: "Deleted" } },
    },
    async ({ c, services, caller, row }) => {
      await removeApp(services, caller, row);
      return c.body(null, 204);
    },
  );
  call(
    {
      ...changesApp,
      method: "post",
      path: `${PATH}/{app}/renew-expiry`,
      tags,
      summary: "Start the days of a preview again",
      responses: { 200: response },
      errorCodes: [...changesApp.errorCodes, "not_preview", "preview_expired"],
    },
    async ({ c, services, caller, row }) =>
      c.json(presentApp(services.settings)(await renewPreview(services, caller, row))),
  );
}
