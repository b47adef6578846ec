import { applyD1Migrations, env, reset } from "cloudflare:test";
import { restoreClock } from "../restore";

// The files of a project share one isolate, so an earlier file may have stopped the clock.
restoreClock();

await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
if (env.TEST_LIBRARY.length > 0) await env.DB.batch(env.TEST_LIBRARY.map((text) => env.DB.prepare(text)));
