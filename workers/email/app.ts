import { emailErrors } from "../../schemas/email/errors";
import { version } from "../../schemas/health";
import { mountAudit } from "../kit/audit/audit.routes";
import { type AdminScopes, adminErrorCodes, authorizeAdmin } from "../kit/auth/authorize";
import { type AdminCaller, limitMutation } from "../kit/auth/caller";
import { dbOfScope } from "../kit/db/db";
import { createCalls } from "../kit/http/call";
import { costOf } from "../kit/http/cost";
import { mountDocs } from "../kit/http/openapi/docs";
import { createService } from "../kit/http/service";
import { mountStaffJobs } from "../kit/jobs/api/mount";
import { mountSending } from "./audience/broadcast-sending/sending.routes";
import { mountBroadcasts } from "./audience/broadcasts/broadcast.routes";
import { mountNewsletters } from "./audience/newsletters/newsletter.routes";
import { refusalPage } from "./audience/preferences/refusal-page";
import { mountUnsubscribePage } from "./audience/preferences/unsubscribe-page.routes";
import { mountRecipients } from "./audience/recipient-list/recipient.routes";
import { mountConfirmation } from "./audience/sign-up/confirm.routes";
import { mountSignUp } from "./audience/sign-up/sign-up.routes";
import { mountSubscriberFiles } from "./audience/subscribers/import.routes";
import { mountSubscribers } from "./audience/subscribers/subscriber.routes";
import { mountSuppressions } from "./audience/suppression/suppression.routes";
import { mountUnsubscribes } from "./audience/unsubscribes/unsubscribe.routes";
import { mountWebVersion } from "./audience/web-version/web-version.routes";
import { mountDrafts } from "./authoring/drafts/draft.routes";
import { mountLibrary } from "./authoring/library-templates/library-template.routes";
import { mountTemplates } from "./authoring/templates/template.routes";
import { mountVersions } from "./authoring/templates/version.routes";
import type { EmailBindings } from "./bindings";
import { mountBranding } from "./content/branding/branding.routes";
import { mountCatalog } from "./content/catalog/catalog.routes";
import { mountLogos } from "./content/logos/logo.routes";
import { mountLogoFiles } from "./content/logos/logo-file.routes";
import { mountPageLook } from "./content/logos/page-look.routes";
import { mountMessages } from "./delivery/messages/message.routes";
import { mountProviderEvents } from "./delivery/provider-events/provider-event.routes";
import { mountLanes } from "./delivery/sender-settings/lane.routes";
import { mountProvider } from "./delivery/sender-settings/provider.routes";
import type { EmailEnv, EmailService } from "./http";
import { mountEmails } from "./intake/emails/email.routes";
import { resendErrorResponse } from "./intake/emails/resend-error";
import { mountEventTypes } from "./intake/event-types/event-type.routes";
import { mountDecisions } from "./intake/events/decision.routes";
import { mountEventIngest } from "./intake/events/event.routes";
import { mountRules } from "./intake/rules/rule.routes";
import { mountSend } from "./intake/send/send.routes";
import { mountStoredEmails } from "./intake/stored-emails/stored-email.routes";
import { jobs } from "./jobs";
import { mountMetrics } from "./operations/metrics/metrics.routes";
import { mountHealth } from "./operations/operator/health.routes";
import { mountCommands } from "./operations/operator/management.routes";
import { mountEmailOverview } from "./operations/overview/overview.routes";
import { mountPrivacy } from "./operations/privacy/erasure.routes";
import { mountPrivacyExport } from "./operations/privacy/export.routes";
import { mountStats } from "./operations/statistics/stats.routes";
import type { ErrorCode } from "./problem";
import { mountApiKeys } from "./records/clients/api-key.routes";
import { mountServiceClients } from "./records/clients/service-client.routes";
import { mountEmailWebhooks } from "./records/webhooks/webhook.routes";
import { type EmailServices, services } from "./services";
import { settingsOf } from "./settings";

const base = createService<EmailBindings, EmailServices>({
  name: "email",
  errors: emailErrors,
  withMessage: false,
  faultCode: "request_failed",
  settings: settingsOf,
  services,
  cost: costOf,
  errorPage: refusalPage,
  errorResponse: resendErrorResponse,
  alwaysAvailablePaths: ["/api/v1/health"],
  cors: {
    allow: "Authorization, Content-Type, X-Request-ID, X-Platform-Bookmark",
    expose: "X-Request-ID, Retry-After, ETag, X-Platform-Bookmark",
  },
});

const call = createCalls<EmailServices, AdminScopes, AdminCaller, EmailEnv, ErrorCode>(base, {
  errors: emailErrors,
  authorize: authorizeAdmin,
  impliedErrorCodes: adminErrorCodes,
  limit: limitMutation,
  bookmarkOf: (services, scope) => dbOfScope(services, scope).bookmark(),
});
const service: EmailService = { ...base, call };

mountHealth(service);
mountCatalog(service);
mountSend(service);
mountEmails(service);
mountStoredEmails(service);
mountEventIngest(service);
mountDecisions(service);
mountLibrary(service);
mountTemplates(service);
mountVersions(service);
mountDrafts(service);
mountBroadcasts(service);
mountSending(service);
mountRecipients(service);
mountMessages(service);
mountProvider(service);
mountBranding(service);
mountLogos(service);
mountLogoFiles(service);
mountPageLook(service);
mountProviderEvents(service);
mountSuppressions(service);
mountNewsletters(service);
mountSubscribers(service);
mountSubscriberFiles(service);
mountEventTypes(service);
mountRules(service);
mountLanes(service);
mountServiceClients(service);
mountApiKeys(service);
mountUnsubscribes(service);
mountUnsubscribePage(service);
mountWebVersion(service);
mountConfirmation(service);
mountSignUp(service);
mountPrivacy(service);
mountPrivacyExport(service);
mountEmailWebhooks(service);
mountStats(service);
mountAudit(service, emailErrors);
mountEmailOverview(service);
mountMetrics(service, jobs);
mountStaffJobs(service, jobs, emailErrors);
mountCommands(service);

/** The API definition from which the OpenAPI document is generated. */
export const api = mountDocs(service, {
  title: "Email",
  version,
  bearer: "An access token or personal access token of identity; to send mail, a service key (`esk_…`)",
});

/** The HTTP application of the email service. */
export const app = service.app;
