// Bindings of the workerd projects in vitest.config.ts that are not settings of the Worker.
declare namespace Cloudflare {
  interface Env {
    DB: D1Database;
    /** statements that create what the migrations leave */
    TEST_SCHEMA: string[];
    /** empty outside email */
    TEST_MIGRATIONS: import("@cloudflare/vitest-plugin").D1Migration[];
    /** statements that load the default mails and their designs; empty outside email */
    TEST_LIBRARY: string[];
  }
}
