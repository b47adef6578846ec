import { readIssuerSettings } from "../kit/auth/issuer";
import { readJobSettings } from "../kit/jobs/settings";
import { parseOperatorKey } from "../kit/management/operator";
import { oncePerIsolate, parseBoolean, parseInteger, parseList, parseRate, withDefault } from "../kit/settings";
import { parseActionsSettings } from "../kit/webhooks/settings";
import type { HostingBindings } from "./bindings";

/**
 * Settings of hosting (details of Document 3, sections 1 and 3.1), times in milliseconds. Throws a SettingError that names
 * the bad one, or a DeploymentError without a broker.
 */
export const settingsOf = oncePerIsolate((env: HostingBindings) => {
  const debug = parseBoolean("DEBUG", withDefault(env.DEBUG, "false"));
  return {
    debug,
    jobs: readJobSettings(env, { debug, queues: [env.WEBHOOKS_QUEUE, env.SERVICE_QUEUE] }),
    actions: parseActionsSettings(env, { debug }),
    identity: readIssuerSettings(env, { debug }),
    eventRetentionDays: parseInteger("EVENT_LOG_RETENTION_DAYS", withDefault(env.EVENT_LOG_RETENTION_DAYS, "7"), {
      min: 1,
      max: 3650,
    }),
    operatorKey: parseOperatorKey(env.OPERATOR_KEY),
    corsAllowedOrigins: parseList(env.CORS_ALLOWED_ORIGINS),
    rates: {
      mutation: parseRate("API_MUTATION_RATE_LIMIT", withDefault(env.API_MUTATION_RATE_LIMIT, "300/min"), { debug }),
    },
  };
});

export type HostingSettings = ReturnType<typeof settingsOf>;
