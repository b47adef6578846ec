import { applyD1Migrations, env, reset } from "cloudflare:test";
import { restoreClock } from "../restore";

// Files of a project share one isolate: a clock that an earlier file left standing must not reach the next.
restoreClock();

await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
if (env.TEST_LIBRARY.length > 0) await env.DB.batch(env.TEST_LIBRARY.map((text) => env.DB.prepare(text)));
