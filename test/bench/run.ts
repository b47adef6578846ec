// `npm run bench` measures the throughput of the hot paths, `-- cost` counts what a sign-in costs, `-- growth` what lists read at
// a million rows, `-- mail` what mail costs its senders, owners and provider, `-- smtp` how many mails a second go out, `-- webhooks` events, deliveries and their jobs; a
// further word runs one part of the last: latency, latency-silent, idle, drain, silent, single or purge. `-- storage` what
// objects cost, beside a bare Worker, and the memory of a large upload. `-- shell` sizes and waits of the shell and its command.
import process from "node:process";

const benches: Record<string, () => Promise<unknown>> = {
  throughput: () => import("./throughput.ts"),
  cost: () => import("./cost.ts"),
  growth: () => import("./growth.ts"),
  mail: () => import("./mail.ts"),
  smtp: () => import("./smtp.ts"),
  webhooks: () => import("./webhooks.ts"),
  storage: () => import("./storage.ts"),
  shell: () => import("./shell.ts"),
};

const name = process.argv[2] ?? "throughput";
const bench = benches[name];
if (bench) await bench();
else {
  console.error(`There is no bench ${name}: ${Object.keys(benches).join(", ")}.`);
  process.exitCode = 1;
}
