import { type Platform, startOwnPlatform } from "./platform.ts";
import { atWorkerEnd } from "./worker-end.ts";

const loose = "1000/min";
const limits = {
  AUTH_RATE_LIMIT_MAGIC_LINK: loose,
  AUTH_RATE_LIMIT_MAGIC_LINK_PERSON: loose,
  AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: loose,
  AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: loose,
  AUTH_RATE_LIMIT_OAUTH: loose,
  AUTH_RATE_LIMIT_SETTINGS: loose,
  AUTH_RATE_LIMIT_TOKEN_REFRESH: loose,
};

/** The operator key of the shared platform's email service. */
export const OPERATOR_KEY = `opk_${"k".repeat(40)}`;

// Test files of a project share the modules of their worker (`isolate: false`), so this outlives a file.
let started: Promise<Platform> | undefined;

/**
 * The platform of this test worker, started at first use, with an empty inbox and without earlier log lines. Other files have
 * left rows in company 1; a test that changes settings of the company restores them. Its processes end with the worker.
 */
export async function sharePlatform(): Promise<Platform> {
  started ??= startOwnPlatform({
    edge: { SHELL_URL: "http://localhost:3000/" },
    identity: limits,
    email: { OPERATOR_KEY, EMAIL_RECIPIENT_AUTH_LIMIT: "1000", EMAIL_COMPANY_AUTH_LIMIT: "1000" },
  }).then((platform) => {
    atWorkerEnd(() => platform.kill());
    return platform;
  });
  const platform = await started;
  await platform.inbox.clear();
  platform.takeLogs();
  return { ...platform, close: async () => {} };
}
