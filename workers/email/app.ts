import { emailErrors } from "../../schemas/email/errors";
import { version } from "../../schemas/health";
import { costOf } from "../kit/http/cost";
import { mountDocs } from "../kit/http/docs";
import { createService } from "../kit/http/service";
import type { EmailBindings } from "./bindings";
import type { EmailService } from "./http";
import { mountEmailActions } from "./routes/actions";
import { mountCatalog } from "./routes/catalog";
import { mountHealth } from "./routes/health";
import { mountLanes } from "./routes/lanes";
import { mountCommands } from "./routes/management";
import { mountMessages } from "./routes/messages";
import { mountMetrics } from "./routes/metrics";
import { mountPrivacy } from "./routes/privacy";
import { mountProvider } from "./routes/provider";
import { mountJobs } from "./routes/scheduled-jobs";
import { mountSend } from "./routes/send";
import { mountServiceClients } from "./routes/service-clients";
import { mountSuppressions } from "./routes/suppressions";
import { mountUnsubscribePage } from "./routes/unsubscribe-page";
import { mountUnsubscribes } from "./routes/unsubscribes";
import { type EmailServices, services } from "./services";
import { settingsOf } from "./settings";

const service: EmailService = createService<EmailBindings, EmailServices>({
  name: "email",
  errors: emailErrors,
  withMessage: false,
  faultCode: "request_failed",
  settings: settingsOf,
  services,
  cost: costOf,
  alwaysAnswers: ["/api/v1/health"],
  cors: { allow: "Authorization, Content-Type, X-Request-ID", expose: "X-Request-ID, Retry-After, ETag" },
});

mountHealth(service);
mountCatalog(service);
mountSend(service);
mountMessages(service);
mountProvider(service);
mountSuppressions(service);
mountLanes(service);
mountServiceClients(service);
mountUnsubscribes(service);
mountUnsubscribePage(service);
mountPrivacy(service);
mountEmailActions(service);
mountMetrics(service);
mountJobs(service);
mountCommands(service);

/** Makes the OpenAPI document. */
export const describeApi = mountDocs(service, {
  title: "Email",
  version,
  bearer: "An access token or personal access token of identity; where mail is sent, a service key (`esk_…`)",
});

/** The HTTP side of the email service. */
export const app = service.app;
