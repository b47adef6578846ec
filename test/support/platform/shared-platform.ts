import { type Platform, startIsolatedPlatform } from "./platform.ts";
import { atWorkerExit } from "./worker-end.ts";

const highLimit = "1000/min";
const limits = {
  AUTH_RATE_LIMIT_MAGIC_LINK: highLimit,
  AUTH_RATE_LIMIT_MAGIC_LINK_PERSON: highLimit,
  AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: highLimit,
  AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: highLimit,
  AUTH_RATE_LIMIT_OAUTH: highLimit,
  AUTH_RATE_LIMIT_SETTINGS: highLimit,
  AUTH_RATE_LIMIT_TOKEN_REFRESH: highLimit,
};

/** The operator key of the shared platform's email service. */
export const OPERATOR_KEY = `opk_${"k".repeat(40)}`;

// Test files of a project share the modules of their worker (`isolate: false`), so later files use the same platform.
let started: Promise<Platform> | undefined;

/**
 * Returns the platform of this test worker, started at first use, with an empty inbox and no earlier log lines. Company 1 has
 * rows of other test files; a test that changes settings of the company restores them. The processes end with the worker.
 */
export async function sharePlatform(): Promise<Platform> {
  started ??= startIsolatedPlatform({
    edge: { SHELL_URL: "http://localhost:3000/", SERVICE_DOMAINS: "example.com" },
    identity: limits,
    hosting: { HOSTING_MAX_APPS_PER_COMPANY: "50", HOSTING_DEPLOY_RATE_LIMIT: highLimit },
    email: { OPERATOR_KEY, EMAIL_RECIPIENT_AUTH_LIMIT: "1000", EMAIL_COMPANY_AUTH_LIMIT: "1000" },
  }).then((platform) => {
    atWorkerExit(() => platform.kill());
    return platform;
  });
  const platform = await started;
  await platform.inbox.clear();
  platform.takeLogs();
  return { ...platform, close: async () => {} };
}
