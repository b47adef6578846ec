/**
 * Kit operations that several services mount. Only hosting checks them in full; the other services check only their guards
 * (`Extent` in route-check.ts). Hosting's routes test fails if one of its kit operations is missing here.
 */
const kitOperations = new Set([
  "get /api/v1/health",
  "get /{service}/v1/health",
  "get /{service}/v1/metrics",
  "get /{service}/v1/metrics/all",
  "get /api/v1/overview",
  "get /api/v1/actions/events",
  "get /api/v1/actions/rules",
  "post /api/v1/actions/rules",
  "get /api/v1/actions/rules/{id}",
  "patch /api/v1/actions/rules/{id}",
  "delete /api/v1/actions/rules/{id}",
  "post /api/v1/actions/rules/{id}/requeue",
  "post /api/v1/actions/rules/{id}/rotate-secret",
  "post /api/v1/actions/rules/{id}/send-test",
  "get /api/v1/actions/deliveries",
  "get /api/v1/actions/deliveries/{id}",
  "post /api/v1/actions/deliveries/{id}/requeue",
  "get /api/v1/actions/event-log",
  "get /api/v1/actions/event-log/types",
  "get /api/v1/actions/event-log/retention",
  "get /api/v1/actions/event-log/{id}",
  "post /api/v1/actions/event-log/{id}/replay",
  "get /api/v1/scheduled-jobs",
  "get /api/v1/scheduled-jobs/runs/{id}",
  "get /api/v1/scheduled-jobs/{job}/runs",
  "post /api/v1/management/{command}",
]);

/** Returns whether the kit mounts an operation, given its method and path. */
export function isKitOperation(key: string): boolean {
  return kitOperations.has(key.replace(/^get \/(identity|email|hosting|storage)\//, "get /{service}/"));
}

/** The number of listed operations. */
export const kitOperationCount = kitOperations.size;
