// Prints whether this machine is quiet, as JSON: a fixed workload on two cores, compared with the recorded figure. `.ci/run`
// judges the duration of the tests only on a quiet machine. Plain JavaScript: it may run under any Node.
import { createHash } from "node:crypto";
import { loadavg } from "node:os";
import { isMainThread, Worker } from "node:worker_threads";

/** Seconds of processor time per core that the workload took on the two-core machine on which the budget was set. */
const RECORDED_SECONDS = 1;
const ROUNDS = 48;

if (isMainThread) {
  const [load] = loadavg();
  const before = process.cpuUsage();
  const start = process.hrtime.bigint();
  await Promise.all(
    [1, 2].map(
      () =>
        new Promise((resolve, reject) => {
          new Worker(new URL(import.meta.url)).once("exit", resolve).once("error", reject);
        }),
    ),
  );
  const wall = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / 2e6;
  // Other processes make it wait (wall above cpu); a slower machine needs more processor time.
  const isQuiet = wall < 1.2 * cpu && cpu < 1.25 * RECORDED_SECONDS;
  const round = (seconds) => Math.round(seconds * 100) / 100;
  console.log(
    JSON.stringify({ isQuiet, wall: round(wall), cpu: round(cpu), recorded: RECORDED_SECONDS, load: round(load) }),
  );
} else {
  let block = Buffer.alloc(2 ** 20, 7);
  const words = new Uint32Array(2 ** 18);
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 1; i < words.length; i++) words[i] = (words[i - 1] ^ (words[i] << 5)) + i * round;
    for (let turn = 0; turn < 24; turn++)
      block = Buffer.concat([createHash("sha256").update(block).digest(), block.subarray(32)]);
  }
}
