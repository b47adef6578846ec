import { version } from "../../schemas/health";
import { identityErrors } from "../../schemas/identity/errors";
import { costOf } from "../kit/http/cost";
import { mountDocs } from "../kit/http/openapi/docs";
import { createService } from "../kit/http/service";
import { mountPersonalAccessTokens } from "./access-tokens/personal-access-token.routes";
import { mountPreferences } from "./account/preferences.routes";
import { mountUser } from "./account/user.routes";
import { mountLoginEvents } from "./audit/login-event.routes";
import type { IdentityBindings } from "./bindings";
import { mountJwks } from "./caller/jwks.routes";
import { mountAuthMethods } from "./companies/auth-methods.routes";
import { mountCompanies } from "./companies/company.routes";
import { mountSettings } from "./companies/settings.routes";
import { mountHealth } from "./health/health.routes";
import { callsOf } from "./http";
import { jobs } from "./jobs/job-set";
import { mountJobs } from "./jobs/scheduled-job.routes";
import { keysOf } from "./keys";
import { mountMagicLinkVerify } from "./magic-link/magic-link.routes";
import { mountMagicLinkRequest } from "./magic-link/magic-link-request.routes";
import { mountUsers } from "./members/member.routes";
import { mountMetrics } from "./metrics/metrics.routes";
import { mountAuthorize } from "./oauth/authorize.routes";
import { mountOAuthCallback } from "./oauth/callback.routes";
import { mountOauthClients } from "./oauth-clients/oauth-client.routes";
import { mountCommands } from "./operator/command.routes";
import { mountHostingOauthRedirects } from "./redirects/hosting-redirect.routes";
import { mountOauthRedirects } from "./redirects/oauth-redirect.routes";
import { type IdentityServices, services } from "./services";
import { mountSessions } from "./sessions/own-session.routes";
import { mountSession } from "./sessions/session.routes";
import { mountSessionEnd } from "./sessions/session-end.routes";
import { settingsOf } from "./settings";
import { refusalPage } from "./sign-in/page-answer";
import { mountIdentityWebhooks } from "./webhooks/webhook.routes";

const identity = createService<IdentityBindings, IdentityServices>({
  name: "identity",
  errors: identityErrors,
  withMessage: true,
  faultCode: "internal_error",
  settings: settingsOf,
  services,
  ready: keysOf,
  cost: costOf,
  refusalPage,
  alwaysAnswers: ["/api/v1/health"],
  cors: {
    allow: "Authorization, Content-Type, X-Request-ID, X-Platform-Client-Timezone, X-Platform-Bookmark",
    expose: "X-Request-ID, Retry-After, WWW-Authenticate, X-Platform-Bookmark",
  },
});

const service = { ...identity, call: callsOf(identity) };

mountMagicLinkRequest(service);
mountMagicLinkVerify(service);
mountAuthorize(service);
mountOAuthCallback(service);
mountSession(service);
mountSessionEnd(service);
mountSessions(service);
mountUser(service);
mountPreferences(service);
mountSettings(service);
mountAuthMethods(service);
mountOauthClients(service);
mountOauthRedirects(service);
mountHostingOauthRedirects(service);
mountIdentityWebhooks(service);
mountLoginEvents(service);
mountMetrics(service, jobs);
mountUsers(service);
mountCompanies(service);
mountPersonalAccessTokens(service);
mountJwks(service);
mountHealth(service);
mountJobs(service);
mountCommands(service);

/** What the OpenAPI document is made from. */
export const api = mountDocs(service, {
  title: "Identity",
  version,
  bearer: "An access token of a session, or a personal access token",
});

/** The HTTP application of identity. */
export const { app } = service;
