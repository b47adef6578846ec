import type { ApiDocument, Operation } from "../../support/http/api-document.ts";

/**
 * A call of a list with at most one filter, or of a deep page of a list. `skippedRows` is the number of rows that the
 * page number skips. `body` is the request body of a list by POST.
 */
export type ListCall = {
  path: string;
  query: string;
  pageSize: number;
  skippedRows: number;
  body?: Record<string, unknown>;
};

const pageSize = 100;
/** Page numbers reach at most this row; later rows need cursors. */
const deepestRow = 10_000;
/** A list whose numbered pages read all rows. Only its pages by cursor are bounded. */
const audience = "/api/v1/users/audience";
const paging = ["page", "page_size", "limit", "cursor"];

/** Values of path parameters. */
const parts: Record<string, string> = {
  event_type: "shop.type.1",
  job: "purge_expired_data",
  id: "1",
  company_id: "1",
  bucket: "company",
  app: "app-1",
};

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();
const identityTypes = ["identity.user.created", "identity.user.deleted", "identity.auth.magic_link.requested"];

/**
 * Values of filters without an enum in the API document, by name or by path and name. They match frequent rows, rare
 * rows or no row of the tables that rows.ts fills.
 */
const values: Record<string, string[]> = {
  company_id: ["1"],
  all: ["true", "false"],
  event_type: identityTypes,
  "email /api/v1/messages event_type": [...identityTypes, "email.direct.category:order"],
  "email /api/v1/messages template_key": [...identityTypes, "email.direct"],
  "email /api/v1/messages service": ["identity", "hosting", "shop", "nobody"],
  "email /api/v1/actions/rules event_type": ["email.message.sent"],
  "email /api/v1/actions/deliveries event_type": ["email.message.sent"],
  "email /api/v1/actions/event-log event_type": ["email.message.sent", "email.message.failed", "email.message.bounced"],
  "storage /api/v1/actions/event-log event_type": ["storage.object.uploaded", "storage.bucket.created"],
  "hosting /api/v1/actions/event-log event_type": ["hosting.scheduled_job.succeeded", "hosting.scheduled_job.failed"],
  user_id: ["1", "1007", "900000000"],
  user: ["owner@example.com", "many6@example.com", "nobody@example.com"],
  event_id: ["00000007-0000-4000-9000-000000000007", "01a00000-0000-7000-8000-000000000000"],
  webhook_id: ["00000007-0000-4000-9000-000000000007", "00000007-0000-4000-9000-00000000ffff"],
  created_after: [day(3)],
  created_before: [day(3)],
  provider: ["magic_link", "google", "github"],
  country: ["FR", "IS", "NZ"],
  city: ["Paris", "Vik", "Nowhere"],
  timezone: ["Europe/Paris", "Atlantic/Reykjavik", "Pacific/Auckland"],
  roles: ["owner", "member"],
  group_ids: ["00000001-0000-4000-a000-000000000001"],
  user_ids: ["1007,1008"],
  joined_after: [day(3)],
  joined_before: [day(3)],
  seen_after: [day(3)],
  seen_before: [day(3)],
  updated_since: [day(3)],
  q: ["person", "zebra", "nobody at all", "many999999@", "ze"],
  action_rule_id: ["1", "2", "3"],
  scheduled_job_run_id: ["1"],
  "/api/v1/messages status": ["sent", "failed", "sending", "failed,bounced"],
  "/api/v1/scheduled-jobs/{job}/runs status": ["running", "succeeded", "failed"],
  lane: ["transactional", "auth", "bulk"],
  enabled: ["true", "false"],
  is_failing: ["true", "false"],
  ok: ["true", "false"],
  is_staff_at_event: ["true", "false"],
  template_key: identityTypes,
  service: ["identity", "hosting", "nobody"],
  request_id: ["r7", "r0", "nobody", "01a00000-0000-7000-8000-000000000000"],
  email: ["many@example.com"],
  broadcast_id: ["1", "900000000"],
  list_id: ["1", "900000000"],
  reveal: ["true"],
  from: [day(3)],
  to: [day(3)],
};

/** Request bodies for lists by POST: a folder sorted by name and by time, a search, and a deep page. */
const bodies: Record<string, Record<string, unknown>[]> = {
  "/storage/v1/object/list/{bucket}": [
    { prefix: "many" },
    { prefix: "many", offset: 9_900 },
    { prefix: "many", sortBy: { column: "updated_at", order: "desc" } },
    { prefix: "many", search: "file-7" },
    { prefix: "many", search: "nothing" },
    { prefix: "many", search: "nothing", sortBy: { column: "created_at", order: "asc" } },
  ],
  "/storage/v1/object/list-v2/{bucket}": [
    { prefix: "" },
    { prefix: "many/", with_delimiter: true },
    { prefix: "none" },
  ],
};

type Parameter = NonNullable<Operation["parameters"]>[number];

function valuesOf(service: string, path: string, { name, schema }: Parameter): string[] {
  if (schema?.enum) return schema.enum.map(String);
  const filterValues = values[`${service} ${path} ${name}`] ?? values[`${path} ${name}`] ?? values[name];
  if (!filterValues) throw new Error(`growth/lists.ts has no value for the filter ${name} of ${service} ${path}`);
  return filterValues;
}

/** Returns the calls of a list by POST, or none if the path is no such list. Throws if `bodies` has no entry for it. */
function postsOf(template: string, path: string, { post }: { post?: Operation }): ListCall[] {
  if (post === undefined || !/\/list(-v\d+)?\//.test(template)) return [];
  const requestBodies = bodies[template];
  if (!requestBodies) throw new Error(`growth/lists.ts has no body for POST ${template}`);
  return requestBodies.map((body) => ({
    path,
    query: "",
    pageSize,
    skippedRows: Number(body.offset ?? 0),
    body: { limit: pageSize, ...body },
  }));
}

/**
 * Returns the calls for every list of a service's API document: without a filter, with each filter alone, and of deep
 * pages.
 */
export function callsOf(service: string, document: ApiDocument): ListCall[] {
  return Object.entries(document.paths).flatMap(([template, operations]) => {
    const parameters = (operations.get?.parameters ?? []).filter((parameter) => parameter.in === "query");
    const has = (name: string) => parameters.some((parameter) => parameter.name === name);
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? name);
    if (!paging.some(has)) return postsOf(template, path, operations);
    const limit = has("page_size") ? `page_size=${pageSize}` : `limit=${pageSize}`;
    const size = template === audience ? `${limit}&cursor=` : limit;
    const call = (filter: string, skippedRows = 0): ListCall => ({
      path,
      query: `${size}${filter}`,
      pageSize,
      skippedRows,
    });
    const filters = parameters.filter(({ name }) => !paging.includes(name) && name !== "count_only");
    const pages = has("page") && template !== audience ? [deepestRow / pageSize, 9_000] : [];
    return [
      call(""),
      ...pages.map((page) => call(`&page=${page}`, Math.min((page - 1) * pageSize, deepestRow))),
      ...filters.flatMap((filter) =>
        valuesOf(service, template, filter).map((value) => call(`&${filter.name}=${encodeURIComponent(value)}`)),
      ),
    ];
  });
}
