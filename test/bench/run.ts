// `npm run bench` measures the hot paths of requests, `npm run bench -- webhooks` events, deliveries and their jobs; a further
// word runs one part of it: latency, latency-silent, idle, drain, silent, single or purge.
import process from "node:process";

const name = process.argv[2] ?? "requests";
if (name === "requests") await import("./requests.ts");
else if (name === "webhooks") await import("./webhooks.ts");
else {
  console.error(`There is no bench ${name}: requests or webhooks.`);
  process.exitCode = 1;
}
