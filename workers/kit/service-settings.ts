import { operatorKey } from "./management/operator";
import { integer, listOrAll, rate } from "./settings/setting-types";
import { debugSetting, type SettingsTable } from "./settings/settings";

/** Settings that every service has in addition to the settings of its jobs and webhooks. */
export const serviceTable = {
  debug: debugSetting,
  operatorKey: {
    name: "OPERATOR_KEY",
    type: operatorKey,
    default: "",
    secret: "operator key",
    meaning: "Operator key for `platform manage`; without it only staff can run commands",
  },
  eventRetentionDays: {
    name: "EVENT_LOG_RETENTION_DAYS",
    type: integer(1, 3650),
    default: "7",
    meaning: "Retention of events and finished deliveries, unless a company sets its own",
  },
  corsAllowedOrigins: {
    name: "CORS_ALLOWED_ORIGINS",
    type: listOrAll,
    default: "",
    meaning: "Origins whose scripts may read responses; none or `*` allows all",
  },
} as const satisfies SettingsTable;

/** The rate limit setting of mutations, which every service has. */
export const mutationRate = {
  name: "API_MUTATION_RATE_LIMIT",
  type: rate,
  default: "300/min",
  meaning: "Write requests per user",
} as const satisfies SettingsTable[string];
