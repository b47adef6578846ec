import { env, reset } from "cloudflare:test";
import { restoreClock } from "../../restore";

// The files of a project share one isolate, so an earlier file may have stopped the clock.
restoreClock();

// On a busy machine, a call that the previous file left running can prevent `reset` from emptying the database.
for (let attemptsLeft = 5; ; attemptsLeft--) {
  await reset();
  try {
    await env.DB.batch([...env.TEST_SCHEMA, ...env.TEST_LIBRARY].map((query) => env.DB.prepare(query)));
    break;
  } catch (error) {
    if (attemptsLeft === 1 || !String(error).includes("already exists")) throw error;
  }
}
