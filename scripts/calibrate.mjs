// Prints as JSON whether this machine is quiet: compares a fixed workload on two cores with the recorded time.
// `.ci/run` enforces the test time budget only on a quiet machine. Plain JavaScript, because it may run under any Node.
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
  // Other processes increase the wall time above the CPU time; a slower machine needs more CPU time.
  const isQuiet = wall < 1.2 * cpu && cpu < 1.25 * RECORDED_SECONDS;
  const round = (seconds) => Math.round(seconds * 100) / 100;
  console.log(
    JSON.stringify({ isQuiet, wall: round(wall), cpu: round(cpu), recorded: RECORDED_SECONDS, load: round(load) }),
  );
} else {
  let block = Buffer.alloc(2 ** 20, 7);
  const integers = new Uint32Array(2 ** 18);
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 1; i < integers.length; i++) integers[i] = (integers[i - 1] ^ (integers[i] << 5)) + i * round;
    for (let hashRound = 0; hashRound < 24; hashRound++)
      block = Buffer.concat([createHash("sha256").update(block).digest(), block.subarray(32)]);
  }
}
