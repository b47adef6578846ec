import { operatorKey } from "./management/operator";
import { integer, listOrAll, rate } from "./settings/setting-types";
import { debugSetting, type SettingsTable } from "./settings/settings";

/** What every service has besides its jobs and webhooks. */
export const serviceTable = {
  debug: debugSetting,
  operatorKey: {
    name: "OPERATOR_KEY",
    type: operatorKey,
    default: "",
    secret: "operator key",
    meaning: "Lets `platform manage` in; without it staff alone",
  },
  eventRetentionDays: {
    name: "EVENT_LOG_RETENTION_DAYS",
    type: integer(1, 3650),
    default: "7",
    meaning: "Life of events and finished deliveries, where a company has none of its own",
  },
  corsAllowedOrigins: {
    name: "CORS_ALLOWED_ORIGINS",
    type: listOrAll,
    default: "",
    meaning: "Origins whose scripts may read answers; none or `*`: all",
  },
} as const satisfies SettingsTable;

/** One of the rates of every service. */
export const mutationRate = {
  name: "API_MUTATION_RATE_LIMIT",
  type: rate,
  default: "300/min",
  meaning: "Changes by one user",
} as const satisfies SettingsTable[string];
