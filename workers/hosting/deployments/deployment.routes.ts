import * as z from "zod";
import { appParams } from "../../../schemas/hosting/app";
import {
  createdDeploymentSchema,
  DEPLOYMENT_STATUSES,
  deploymentPageSchema,
  deploymentSchema,
  missingFilesSchema,
  newDeploymentBody,
} from "../../../schemas/hosting/deployment";
import { lazySchema } from "../../../schemas/lazy-schema";
import { pageQuery } from "../../../schemas/page";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { byNumber, presentPage, readPage, splitPage } from "../../kit/http/paging/page";
import { invalid } from "../../kit/problem";
import { limitBy } from "../access/limit";
import { findApp } from "../apps/app";
import { appCall, changesApp } from "../apps/app-call";
import type { HostingService } from "../http";
import { createDeployment, previewDeployment, removeDeployment } from "./deployment";
import { presentDeployment } from "./deployment.present";
import { countDeployments, listDeployments } from "./deployment.store";
import { changesDeployment, readsDeployment } from "./deployment-call";
import { MAX_BODY_BYTES, readNewDeployment } from "./deployment-input";

const PATH = "/hosting/v1/apps/{app}/deployments";
const tags = ["Deployments"];
const position = lazySchema(() => z.tuple([z.int(), z.string().max(36)]));
/** sorts after every id, so that the first page starts with the newest deployment */
const END = [Number.MAX_SAFE_INTEGER, "~"] as const;
const listQuery = lazySchema(() => pageQuery.unwrap().extend({ status: z.enum(DEPLOYMENT_STATUSES).optional() }));

/** Mounts the deployments of an app: docs/specification/hosting.md#deployments */
export function mountDeployments({ call }: HostingService): void {
  call(
    {
      ...appCall,
      method: "get",
      path: PATH,
      tags,
      summary: "List the deployments of an app, newest first",
      params: appParams,
      query: listQuery,
      input: ({ query, params }) => ({
        app: params.app ?? "",
        page: readPage(query, position, byNumber),
        statuses: readStatuses(query.status),
      }),
      reads: ({ companyId, input: { app, page, statuses } }) => {
        const [time, before] = page.after ?? END;
        const key = { companyId, app, statuses };
        return {
          app: findApp({ companyId, app }),
          deployments: listDeployments({ ...key, time, before, limit: page.limit + 1, offset: page.offset }),
          count: countDeployments(key),
        };
      },
      row: ({ results }) => results.app.first,
      responses: { 200: jsonResponse(deploymentPageSchema, "A page") },
      errorCodes: ["hosting_not_configured"],
    },
    ({ c, services, input, row, results }) => {
      const page = splitPage(results.deployments.rows, input.page.limit, ({ created_at, id }) => [created_at, id]);
      const count = results.count.first?.total ?? 0;
      return c.json(presentPage(input.page, { ...page, count }, presentDeployment(services.settings, row)));
    },
  );
  call(
    {
      ...changesApp,
      method: "post",
      path: PATH,
      tags,
      summary: "Create a deployment, and find out which of its files are missing",
      description:
        "With `manifest`, upload each hash in `missing` to `PUT apps/{app}/blobs/{sha256}`, then finalize. Without it, upload " +
        "an archive. The oldest deployments beyond the limit that are neither live nor pinned are deleted.",
      limit: limitBy("deploy"),
      body: {
        schema: newDeploymentBody,
        limit: MAX_BODY_BYTES,
        read: (raw, { services }) => readNewDeployment(raw, services.settings.limits),
      },
      responses: {
        200: jsonResponse(missingFilesSchema, "The missing files; only with `dry_run`"),
        201: jsonResponse(createdDeploymentSchema, "The deployment, and its missing files if it has a manifest"),
      },
      errorCodes: [...changesApp.errorCodes, "deployment_quota_exceeded", "preview_expired", "storage_error"],
    },
    async ({ c, services, caller, row, body }) => {
      if (body.isDryRun) return c.json(await previewDeployment(services, row, body.manifest));
      const { deployment, missing } = await createDeployment(services, row, caller, body);
      return c.json({ ...presentDeployment(services.settings, row)(deployment), ...missing }, 201);
    },
  );
  call(
    {
      ...readsDeployment,
      method: "get",
      path: `${PATH}/{id}`,
      tags,
      summary: "Get a deployment",
      responses: { 200: jsonResponse(deploymentSchema, "The deployment") },
      errorCodes: ["hosting_not_configured"],
    },
    ({ c, services, row: { app, deployment } }) => c.json(presentDeployment(services.settings, app)(deployment)),
  );
  call(
    {
      ...changesDeployment,
      method: "delete",
      path: `${PATH}/{id}`,
      tags,
      summary: "Delete a deployment that is not live",
      limit: limitBy("remove"),
      responses: { 204: { description: "Deleted" } },
      errorCodes: [...changesDeployment.errorCodes, "invalid_deployment_status"],
    },
    async ({ c, services, caller, row: { deployment } }) => {
      await removeDeployment(services, caller, deployment);
      return c.body(null, 204);
    },
  );
}

function readStatuses(text: string | undefined): readonly string[] {
  if (text === undefined) return DEPLOYMENT_STATUSES;
  if (!(DEPLOYMENT_STATUSES as readonly string[]).includes(text)) throw invalid({ status: ["invalid"] });
  return [text];
}
