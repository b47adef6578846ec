import { version } from "../../schemas/health";
import { identityErrors } from "../../schemas/identity/errors";
import { costOf } from "../kit/http/cost";
import { mountDocs } from "../kit/http/docs";
import { createService } from "../kit/http/service";
import type { IdentityBindings } from "./bindings";
import { keysOf } from "./keys";
import { mountIdentityActions } from "./routes/actions";
import { mountAuthMethods } from "./routes/auth-methods";
import { mountAuthorize } from "./routes/authorize";
import { mountCompanies } from "./routes/companies";
import { mountHostingOauthRedirects } from "./routes/hosting-oauth-redirects";
import { mountLoginEvents } from "./routes/login-events";
import { mountMagicLinkRequest } from "./routes/magic-link";
import { mountMagicLinkVerify } from "./routes/magic-link-verify";
import { mountCommands } from "./routes/management";
import { mountMetrics } from "./routes/metrics";
import { mountOAuthCallback } from "./routes/oauth-callback";
import { mountOauthClients } from "./routes/oauth-clients";
import { mountOauthRedirects } from "./routes/oauth-redirects";
import { mountPersonalAccessTokens } from "./routes/personal-access-tokens";
import { mountPreferences } from "./routes/preferences";
import { mountJobs } from "./routes/scheduled-jobs";
import { mountService } from "./routes/service";
import { mountSession } from "./routes/session";
import { mountSessions } from "./routes/sessions";
import { mountSettings } from "./routes/settings";
import { mountUser } from "./routes/user";
import { mountUsers } from "./routes/users";
import { type IdentityServices, services } from "./services";
import { settingsOf } from "./settings";

const service = createService<IdentityBindings, IdentityServices>({
  name: "identity",
  errors: identityErrors,
  withMessage: true,
  faultCode: "internal_error",
  settings: settingsOf,
  services,
  ready: keysOf,
  cost: costOf,
  alwaysAnswers: ["/api/v1/health"],
  cors: {
    allow: "Authorization, Content-Type, X-Request-ID, X-Platform-Client-Timezone",
    expose: "X-Request-ID, Retry-After, WWW-Authenticate",
  },
});

mountMagicLinkRequest(service);
mountMagicLinkVerify(service);
mountAuthorize(service);
mountOAuthCallback(service);
mountSession(service);
mountSessions(service);
mountUser(service);
mountPreferences(service);
mountSettings(service);
mountAuthMethods(service);
mountOauthClients(service);
mountOauthRedirects(service);
mountHostingOauthRedirects(service);
mountIdentityActions(service);
mountLoginEvents(service);
mountMetrics(service);
mountUsers(service);
mountCompanies(service);
mountPersonalAccessTokens(service);
mountService(service);
mountJobs(service);
mountCommands(service);

/** Makes the OpenAPI document. */
export const describeApi = mountDocs(service, {
  title: "Identity",
  version,
  bearer: "An access token of a session, or a personal access token",
});

/** The HTTP application of identity. */
export const { app } = service;
