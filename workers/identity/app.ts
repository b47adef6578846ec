import { version } from "../../schemas/health";
import { identityErrors } from "../../schemas/identity/errors";
import { costOf } from "../kit/http/cost";
import { mountDocs } from "../kit/http/openapi/docs";
import { createService } from "../kit/http/service";
import type { IdentityBindings } from "./bindings";
import { mountJwks } from "./caller/credentials/jwks.routes";
import { mountCompanies } from "./company/administration/company.routes";
import { mountSettings } from "./company/administration/settings.routes";
import { mountHostingOauthRedirects } from "./company/redirects/hosting-redirect.routes";
import { mountOauthRedirects } from "./company/redirects/oauth-redirect.routes";
import { mountAuthMethods } from "./company/sign-in-methods/auth-methods.routes";
import { mountOauthClients } from "./company/sign-in-methods/oauth-client.routes";
import { callsOf } from "./http";
import { keysOf } from "./keys";
import { mountHealth } from "./operations/health/health.routes";
import { jobs } from "./operations/jobs/job-set";
import { mountJobs } from "./operations/jobs/scheduled-job.routes";
import { mountCommands } from "./operations/operator/command.routes";
import { mountIdentityOverview } from "./operations/overview/overview.routes";
import { mountIdentityWebhooks } from "./operations/webhooks/webhook.routes";
import { mountLoginEvents } from "./records/audit/login-event.routes";
import { mountMetrics } from "./records/metrics/metrics.routes";
import { mountScim } from "./scim/administration/scim.routes";
import { mountScimTokens } from "./scim/clients/scim-token.routes";
import { mountScimDiscovery } from "./scim/discovery/discovery.routes";
import { mountScimGroups } from "./scim/groups/group.routes";
import { scimProtocol } from "./scim/protocol/document";
import { scimErrorResponse } from "./scim/protocol/scim-problem";
import { mountScimUsers } from "./scim/users/user.routes";
import { type IdentityServices, services } from "./services";
import { settingsOf } from "./settings";
import { refusalPage } from "./sign-in/completion/page-answer";
import { mountMagicLinkVerify } from "./sign-in/magic-link/magic-link.routes";
import { mountMagicLinkRequest } from "./sign-in/magic-link/magic-link-request.routes";
import { mountAuthorize } from "./sign-in/oauth/authorize.routes";
import { mountOAuthCallback } from "./sign-in/oauth/callback.routes";
import { mountSessions } from "./sign-in/sessions/own-session.routes";
import { mountSession } from "./sign-in/sessions/session.routes";
import { mountSessionEnd } from "./sign-in/sessions/session-end.routes";
import { mountAccess } from "./users/access-report/access.routes";
import { mountPersonalAccessTokens } from "./users/access-tokens/personal-access-token.routes";
import { mountPreferences } from "./users/account/preferences.routes";
import { mountUser } from "./users/account/user.routes";
import { mountAudience } from "./users/audience/audience.routes";
import { mountGroups } from "./users/groups/group.routes";
import { mountInvitations } from "./users/invitations/invitation.routes";
import { mountInvitationPage } from "./users/invitations/invitation-page";
import { mountUsers } from "./users/members/member.routes";
import { mountMemberSessions } from "./users/members/member-session.routes";

const identity = createService<IdentityBindings, IdentityServices>({
  name: "identity",
  errors: identityErrors,
  withMessage: true,
  faultCode: "internal_error",
  settings: settingsOf,
  services,
  ready: keysOf,
  cost: costOf,
  errorPage: refusalPage,
  errorResponse: scimErrorResponse,
  alwaysAvailablePaths: ["/api/v1/health"],
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
mountIdentityOverview(service);
mountAccess(service);
mountAudience(service);
mountUsers(service);
mountMemberSessions(service);
mountGroups(service);
mountScim(service);
mountScimTokens(service);
mountScimDiscovery(service);
mountScimUsers(service);
mountScimGroups(service);
mountInvitationPage(service);
mountInvitations(service);
mountCompanies(service);
mountPersonalAccessTokens(service);
mountJwks(service);
mountHealth(service);
mountJobs(service);
mountCommands(service);

/** The operations from which the OpenAPI documents are generated. */
export const api = mountDocs(
  service,
  { title: "Identity", version, bearer: "An access token of a session, or a personal access token" },
  scimProtocol,
);

/** The HTTP application of identity. */
export const { app } = service;
