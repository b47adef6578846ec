import { emailErrors } from "../../schemas/email/errors";
import { version } from "../../schemas/health";
import { type AdminScopes, adminRefusals, authorizeAdmin } from "../kit/auth/authorize";
import { type AdminCaller, limitMutation } from "../kit/auth/caller";
import { dbOfScope } from "../kit/db/db";
import { createCalls } from "../kit/http/call";
import { costOf } from "../kit/http/cost";
import { mountDocs } from "../kit/http/openapi/docs";
import { createService } from "../kit/http/service";
import { mountStaffJobs } from "../kit/jobs/mount";
import { mountAudit } from "./audit/audit.routes";
import type { EmailBindings } from "./bindings";
import { mountBranding } from "./branding/branding.routes";
import { mountServiceClients } from "./clients/service-client.routes";
import { mountCatalog } from "./content/catalog.routes";
import type { EmailEnv, EmailService } from "./http";
import { mountDecisions } from "./ingest/decision.routes";
import { mountEventIngest } from "./ingest/event.routes";
import { jobs } from "./jobs";
import { mountLibrary } from "./library-templates/library-template.routes";
import { mountMessages } from "./messages/message.routes";
import { mountMetrics } from "./metrics/metrics.routes";
import { mountHealth } from "./operator/health.routes";
import { mountCommands } from "./operator/management.routes";
import { mountPrivacy } from "./privacy/erasure.routes";
import { mountPrivacyExport } from "./privacy/export.routes";
import type { ErrorCode } from "./problem";
import { mountProviderEvents } from "./provider-events/provider-event.routes";
import { mountSuppressions } from "./recipients/suppression.routes";
import { mountRules } from "./rules/rule.routes";
import { mountSend } from "./send/send.routes";
import { mountLanes } from "./sender/lane.routes";
import { mountProvider } from "./sender/provider.routes";
import { type EmailServices, services } from "./services";
import { settingsOf } from "./settings";
import { mountStats } from "./statistics/stats.routes";
import { mountDrafts } from "./templates/draft.routes";
import { mountTemplates } from "./templates/template.routes";
import { mountVersions } from "./templates/version.routes";
import { refusalPage } from "./unsubscribes/refusal-page";
import { mountUnsubscribes } from "./unsubscribes/unsubscribe.routes";
import { mountUnsubscribePage } from "./unsubscribes/unsubscribe-page.routes";
import { mountEmailWebhooks } from "./webhooks/webhook.routes";

const base = createService<EmailBindings, EmailServices>({
  name: "email",
  errors: emailErrors,
  withMessage: false,
  faultCode: "request_failed",
  settings: settingsOf,
  services,
  cost: costOf,
  refusalPage,
  alwaysAnswers: ["/api/v1/health"],
  cors: {
    allow: "Authorization, Content-Type, X-Request-ID, X-Platform-Bookmark",
    expose: "X-Request-ID, Retry-After, ETag, X-Platform-Bookmark",
  },
});

const call = createCalls<EmailServices, AdminScopes, AdminCaller, EmailEnv, ErrorCode>(base, {
  errors: emailErrors,
  authorize: authorizeAdmin,
  refusalsOf: adminRefusals,
  limit: limitMutation,
  bookmarkOf: (services, scope) => dbOfScope(services, scope).bookmark(),
});
const service: EmailService = { ...base, call };

mountHealth(service);
mountCatalog(service);
mountSend(service);
mountEventIngest(service);
mountDecisions(service);
mountLibrary(service);
mountTemplates(service);
mountVersions(service);
mountDrafts(service);
mountMessages(service);
mountProvider(service);
mountBranding(service);
mountProviderEvents(service);
mountSuppressions(service);
mountRules(service);
mountLanes(service);
mountServiceClients(service);
mountUnsubscribes(service);
mountUnsubscribePage(service);
mountPrivacy(service);
mountPrivacyExport(service);
mountEmailWebhooks(service);
mountStats(service);
mountAudit(service);
mountMetrics(service);
mountStaffJobs(service, jobs, emailErrors);
mountCommands(service);

/** What the OpenAPI document is made from. */
export const api = mountDocs(service, {
  title: "Email",
  version,
  bearer: "An access token or personal access token of identity; where mail is sent, a service key (`esk_…`)",
});

/** The HTTP side of the email service. */
export const app = service.app;
