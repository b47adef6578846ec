import { version } from "../../schemas/health";
import { storageErrors } from "../../schemas/storage/errors";
import { mountAudit } from "../kit/audit/audit.routes";
import { type AdminCaller, limitMutation } from "../kit/auth/caller";
import { dbOfScope } from "../kit/db/db";
import { mountHealth } from "../kit/health/mount";
import { createCalls } from "../kit/http/call";
import { costOf } from "../kit/http/cost";
import { mountDocs } from "../kit/http/openapi/docs";
import { createService } from "../kit/http/service";
import { mountStaffJobs } from "../kit/jobs/api/mount";
import { mountScrapes } from "../kit/metrics/mount";
import { authorizeStorage, type StorageScopes, storageRefusals } from "./access/authorize";
import type { StorageBindings } from "./bindings";
import { mountBuckets } from "./bucket-administration/bucket.routes";
import { mountDownloads } from "./downloads/download.routes";
import { mountInfo } from "./downloads/info.routes";
import { mountLists } from "./folders/list.routes";
import { mountPrefixes } from "./folders/prefix.routes";
import { mountSync } from "./folders/sync.routes";
import type { StorageEnv, StorageService } from "./http";
import { jobs } from "./jobs";
import { storageMetrics } from "./metrics/gauges";
import { mountRelocations } from "./objects/relocation.routes";
import { mountCommands } from "./operator/management.routes";
import { mountStorageOverview } from "./overview/overview.routes";
import type { ErrorCode } from "./problem";
import { mountQuotas } from "./quotas/quota.routes";
import { mountRemovals } from "./removal/removal.routes";
import { type StorageServices, services } from "./services";
import { settingsOf } from "./settings";
import { mountShares } from "./shares/share.routes";
import { mountSignedUrls } from "./signing/signed-url.routes";
import { mountTus } from "./tus/tus.routes";
import { mountMultipart } from "./uploads/multipart.routes";
import { mountUploads } from "./uploads/single-upload.routes";
import { mountStorageWebhooks } from "./webhooks/webhook.routes";

const base = createService<StorageBindings, StorageServices>({
  name: "storage",
  errors: storageErrors,
  withMessage: true,
  statusInErrors: "/storage/v1/",
  faultCode: "internal_error",
  settings: settingsOf,
  services,
  cost: costOf,
  // With an invalid setting every request fails, including health checks.
  alwaysAvailablePaths: [],
  hasPages: false,
  cors: {
    allow:
      "Authorization, Content-Type, X-Request-ID, X-Platform-Bookmark, apikey, x-client-info, x-upsert, x-metadata, " +
      "cache-control, Content-Encoding, Content-MD5, x-checksum-sha256, Idempotency-Key, If-None-Match, If-Match, If-Modified-Since, " +
      "If-Range, Range, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Checksum, Upload-Defer-Length, " +
      "X-HTTP-Method-Override",
    expose:
      "X-Request-ID, Retry-After, WWW-Authenticate, X-Platform-Bookmark, ETag, Content-Length, Content-Range, " +
      "Content-Disposition, Accept-Ranges, Last-Modified, X-Next-Cursor, X-Object-Version, Idempotent-Replay, Location, " +
      "Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Upload-Offset, Upload-Length, Upload-Expires, " +
      "Tus-Checksum-Algorithm, Upload-Metadata, Upload-Defer-Length",
  },
});

const call = createCalls<StorageServices, StorageScopes, AdminCaller, StorageEnv, ErrorCode>(base, {
  errors: storageErrors,
  authorize: authorizeStorage,
  impliedErrorCodes: storageRefusals,
  limit: limitMutation,
  bookmarkOf: (services, scope) => dbOfScope(services, scope).bookmark(),
});
const service: StorageService = { ...base, call };

mountHealth(service, "/storage/v1/health");
mountStorageWebhooks(service);
mountStaffJobs(service, jobs, storageErrors);
mountScrapes(service, { errors: storageErrors, jobs, serviceMetrics: storageMetrics });
mountCommands(service);
mountAudit(service, storageErrors);
mountStorageOverview(service);
mountQuotas(service);
mountBuckets(service);
mountLists(service);
mountPrefixes(service);
mountSync(service);
mountRelocations(service);
mountInfo(service);
mountSignedUrls(service);
mountShares(service);
mountRemovals(service);
mountUploads(service);
mountTus(service);
mountMultipart(service);
mountDownloads(service);

/** The route declarations from which the OpenAPI document is generated. */
export const api = mountDocs(service, {
  title: "Storage",
  version,
  bearer: "An access token or personal access token of identity; for management commands, the operator key (`opk_…`)",
});

/** The HTTP application of the storage service. */
export const { app } = service;
