import { version } from "../../schemas/health";
import { hostingErrors } from "../../schemas/hosting/errors";
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
import { mountAccess } from "./access/access.routes";
import { authorizeHosting, type HostingScopes, hostingRefusals } from "./access/authorize";
import { mountApps } from "./apps/app.routes";
import { mountArchives } from "./archives/archive.routes";
import type { HostingBindings } from "./bindings";
import { mountBlobs } from "./deployments/blob.routes";
import { mountDeployments } from "./deployments/deployment.routes";
import { mountDomains } from "./domains/domain.routes";
import type { HostingEnv, HostingService } from "./http";
import { jobs } from "./jobs";
import { hostingMetrics } from "./metrics/gauges";
import { mountCommands } from "./operator/management.routes";
import { mountHostingOverview } from "./overview/overview.routes";
import { mountPreviews } from "./previews/preview.routes";
import type { ErrorCode } from "./problem";
import { mountReleases } from "./releases/release.routes";
import { type HostingServices, services } from "./services";
import { settingsOf } from "./settings";
import { mountVisits } from "./visits/visit.routes";
import { mountHostingWebhooks } from "./webhooks/webhook.routes";

const base = createService<HostingBindings, HostingServices>({
  name: "hosting",
  errors: hostingErrors,
  withMessage: true,
  faultCode: "internal_error",
  settings: settingsOf,
  services,
  cost: costOf,
  // With an invalid setting the service rejects every request, including health checks.
  alwaysAvailablePaths: [],
  cors: {
    allow: "Authorization, Content-Type, X-Request-ID, X-Platform-Bookmark",
    expose: "X-Request-ID, Retry-After, WWW-Authenticate, X-Platform-Bookmark",
  },
});

const call = createCalls<HostingServices, HostingScopes, AdminCaller, HostingEnv, ErrorCode>(base, {
  errors: hostingErrors,
  authorize: authorizeHosting,
  impliedErrorCodes: hostingRefusals,
  limit: limitMutation,
  bookmarkOf: (services, scope) => dbOfScope(services, scope).bookmark(),
});
const service: HostingService = { ...base, call };

mountHealth(service, "/hosting/v1/health");
mountHostingWebhooks(service);
mountStaffJobs(service, jobs, hostingErrors);
mountScrapes(service, { errors: hostingErrors, jobs, serviceMetrics: hostingMetrics });
mountCommands(service);
mountAudit(service, hostingErrors);
mountHostingOverview(service);
mountAccess(service);
mountApps(service);
mountDeployments(service);
mountBlobs(service);
mountArchives(service);
mountReleases(service);
mountVisits(service);
mountPreviews(service);
mountDomains(service);

/** The input of the OpenAPI document. */
export const api = mountDocs(service, {
  title: "Hosting",
  version,
  bearer: "An access token or personal access token of identity; for management commands, the operator key (`opk_…`)",
});

/** The HTTP app of the hosting service. */
export const { app } = service;
