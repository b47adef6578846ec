import { env, reset } from "cloudflare:test";
import { restoreClock } from "../restore";

// The files of a project share one isolate, so an earlier file may have stopped the clock.
restoreClock();

await reset();
// One batch instead of `applyD1Migrations`, which calls the database several times for each migration.
const migrationQueries = env.TEST_MIGRATIONS.flatMap(({ queries }) => queries);
await env.DB.batch([...migrationQueries, ...env.TEST_LIBRARY].map((query) => env.DB.prepare(query)));
