// `npm run bench` measures the throughput of the hot paths. An argument selects another benchmark:
// - `-- cost`: the cost of a sign-in; `--record` stores it for the plan of `npm run deploy`
// - `-- growth`: the rows that lists read at a million rows
// - `-- mail`: the cost of mail for senders, owners and providers
// - `-- broadcasts`: the cost and rate of broadcasts, and of sign-in mail meanwhile
// - `-- smtp`: the mails per second
// - `-- webhooks`: events, deliveries and their jobs
// - `-- storage`: the cost of objects compared with a bare Worker, and the memory of a large upload
// - `-- hosting`: the cost of serving and deploying apps compared with a bare Worker, and the memory of a large archive
// - `-- imports`: the rate and the memory of an import of 100,000 people
// - `-- people`: the cost, rate and losses of directory sync (SCIM)
// - `-- shell`: the sizes and delays of the shell and its command
// A further argument runs one part of `webhooks`: latency, latency-silent, idle, drain, silent, single or purge.
import process from "node:process";

const benches: Record<string, () => Promise<unknown>> = {
  throughput: () => import("./throughput.ts"),
  cost: () => import("./cost.ts"),
  growth: () => import("./growth.ts"),
  mail: () => import("./mail.ts"),
  broadcasts: () => import("./broadcasts.ts"),
  smtp: () => import("./smtp.ts"),
  webhooks: () => import("./webhooks.ts"),
  storage: () => import("./storage.ts"),
  hosting: () => import("./hosting.ts"),
  imports: () => import("./imports.ts"),
  people: () => import("./people.ts"),
  shell: () => import("./shell.ts"),
};

const name = process.argv[2] ?? "throughput";
const bench = benches[name];
if (bench) await bench();
else {
  console.error(`There is no bench ${name}: ${Object.keys(benches).join(", ")}.`);
  process.exitCode = 1;
}
