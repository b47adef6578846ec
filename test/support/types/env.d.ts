// What the workerd projects of vitest.config.ts bind besides the Worker's own settings.
declare namespace Cloudflare {
  interface Env {
    DB: D1Database;
    TEST_MIGRATIONS: import("@cloudflare/vitest-plugin").D1Migration[];
    /** statements that load the default mails and their designs; empty outside email */
    TEST_LIBRARY: string[];
  }
}
