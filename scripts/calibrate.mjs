// Prints as JSON whether this machine is quiet. Runs a fixed workload on two cores and compares its time with a recorded
// one, which shows how fast it is. `.ci/run` enforces the test time budget only on a quiet machine. Plain JavaScript, because any
// Node may run it.
import { loadavg } from "node:os";
import { isMainThread, Worker } from "node:worker_threads";

/** CPU seconds per core that the workload took on the two-core machine for which the budget was set. */
const RECORDED_SECONDS = 0.8;
const ROUNDS = 36;

if (isMainThread) {
  const [load] = loadavg();
  const cpuBefore = process.cpuUsage();
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
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = (user + system) / 2e6;
  // Other processes increase the wall time above the CPU time. A slower machine needs more of both.
  const isQuiet = wall < 1.2 * cpu;
  const round = (seconds) => Math.round(seconds * 100) / 100;
  console.log(
    JSON.stringify({ isQuiet, wall: round(wall), cpu: round(cpu), recorded: RECORDED_SECONDS, load: round(load) }),
  );
} else {
  // The workload uses objects, text and maps, like the tests. It computes no hashes, because their speed depends on
  // instructions that few CPUs have.
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `name ${id}`, tags: ["a", String(id)] }));
  const counts = new Map();
  let length = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const { id, name } of JSON.parse(JSON.stringify(rows))) {
      const key = name.slice(-3);
      counts.set(key, (counts.get(key) ?? 0) + id);
      length += name.replace("name", "row").length;
    }
  }
  if (length === 0 || counts.size === 0) throw new Error("the workload did nothing");
}
