// Measures serving and deploying apps with the production bundles of identity and hosting. Serving is compared, in alternating
// rounds, with a bare Worker that reads the same number of bytes from R2. Prints a table with the bounds and never fails because of
// times.
import { demo, seedStatements } from "../../scripts/support/databases/seed.ts";
import { changeableSettings, portSettings } from "../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../scripts/support/start/secrets.ts";
import { type Client, createClient, getFrom, type Site } from "./hosting/api.ts";
import { randomArchive } from "./hosting/archive.ts";
import { type Entry, sumOf } from "./meter/tally.ts";
import { openIsolateMemory } from "./support/isolate-memory.ts";
import { closeConnections } from "./support/load.ts";
import { openMeters } from "./support/meters.ts";
import { redirectTo, signInOwner } from "./support/person.ts";
import { benchWorker, type Runtime, serviceWorker, withRuntime } from "./support/runtime.ts";
import { median, printTable } from "./support/throughput-report.ts";

const services = ["identity", "hosting"] as const;
const domain = "apps.bench.test";
const assetPath = "/assets/app-4f9d2c1b.js";
const assetBytes = 20 * 1024;
const rounds = 25;
const callsPerRound = 60;
const concurrency = 8;
const MB = 1024 * 1024;
const secrets = await makeSecrets();
const derived = portSettings({ port: 5173, smtpPort: 1, shellPort: null });

async function workers(isMetered: boolean) {
  const settingsOf = (service: (typeof services)[number]) => ({
    ...changeableSettings[service],
    ...secrets[service],
    ...derived[service],
  });
  const hosting = await serviceWorker("hosting", {
    settings: {
      ...settingsOf("hosting"),
      HOSTING_APP_DOMAIN: domain,
      HOSTING_DEBUG_OPEN: "true",
      HOSTING_DEPLOY_RATE_LIMIT: "100000/min",
      HOSTING_UPLOAD_RATE_LIMIT: "100000/min",
      API_MUTATION_RATE_LIMIT: "1000000/min",
      EMAIL_SERVICE_API_KEY: "",
    },
    isMetered,
    services: {
      IDENTITY: "platform-identity",
      IDENTITY_RPC: { name: "platform-identity", entrypoint: "IdentityRpc" },
      EMAIL: "mail-sink",
    },
  });
  // Another isolate of hosting with the same database and bucket, as in another data center. A queue has one consumer.
  const { queueConsumers: _, ...elsewhere } = { ...hosting, name: "hosting-elsewhere" };
  const frontOf = (name: string, apps: string) =>
    benchWorker(name, "hosting/worker.ts", {
      serviceBindings: { APPS: { name: apps, entrypoint: "Apps" }, BARE: "bare" },
    });
  return [
    await serviceWorker("identity", {
      settings: { ...settingsOf("identity"), JWT_ACCESS_TOKEN_LIFETIME: "1h" },
      isMetered,
      services: { EMAIL: "mail-sink" },
    }),
    hosting,
    elsewhere,
    await benchWorker("mail-sink", "mail-sink/worker.ts"),
    await benchWorker("bare", "bare/worker.ts", {
      d1Databases: { DB: "bare" },
      r2Buckets: { OBJECTS: "bare" },
      serviceBindings: { MAIL: "mail-sink" },
      durableObjects: { COUNTER: { className: "Counter", useSQLite: true } },
    }),
    await frontOf("front", hosting.name ?? ""),
    await frontOf("front-elsewhere", elsewhere.name),
  ];
}

type App = { id: string; slug: string };
type Prepared = { front: string; elsewhere: string; client: Client; app: App; host: string };

/** Returns a site of `count` files. Files with the same `version` are equal. */
function siteOf(count: number, version: string): Site {
  const encoder = new TextEncoder();
  const site: Site = new Map([["index.html", encoder.encode(`<!doctype html><title>${version}</title>`)]]);
  site.set(assetPath.slice(1), new Uint8Array(assetBytes).fill(97));
  for (let index = 2; index < count; index++) site.set(`assets/f${index}.txt`, encoder.encode(`${version} ${index}`));
  return site;
}

async function prepare(runtime: Runtime): Promise<Prepared> {
  const origins = [new URL(redirectTo).origin];
  const seed = await seedStatements({ ...demo, origins, serviceKeys: serviceKeysOf(secrets) });
  const identity = await runtime.database("DB", "platform-identity");
  await identity.batch(seed.identity.map((text) => identity.prepare(text)));
  const bearer = await signInOwner(runtime);
  const client = createClient(await runtime.url("platform-hosting"), bearer);
  const app = await client.post<App>("apps", { name: "bench", display_name: "Bench" });
  const [front, elsewhere] = [await runtime.url("front"), await runtime.url("front-elsewhere")];
  const bare = `${await runtime.url("bare")}/?put=asset`;
  await fetch(bare, { method: "POST", body: new Uint8Array(assetBytes).fill(97) });
  return { front, elsewhere, client, app, host: `${app.slug}.${domain}` };
}

const deploy = async ({ client, app }: Prepared, site: Site) => {
  const id = await client.upload(app.id, site);
  await client.finalize(app.id, id);
  return id;
};

const costOf = (entries: Entry[]) =>
  `${sumOf(entries, "round trip").calls} D1 trips, ${sumOf(entries, "statement").written} rows written, ${sumOf(entries, "object read").calls} R2 reads`;

/** Counts the calls to D1 and R2 of each operation. */
async function count(runtime: Runtime): Promise<string[][]> {
  const prepared = await prepare(runtime);
  const { client, app, front, host } = prepared;
  const meters = await openMeters(runtime, ["platform-hosting"]);
  const takeNow = async () => (await meters.takeNow()).get("platform-hosting") ?? [];
  await deploy(prepared, siteOf(214, "one"));
  await meters.take();
  const rows: string[][] = [];
  const measure = async (name: string, bound: string, work: () => Promise<unknown>) => {
    await meters.take();
    await work();
    rows.push([name, costOf(await takeNow()), bound]);
    await meters.settle();
  };
  const get = (headers = {}) => getFrom(front, host, assetPath, headers);
  const first = await get();
  if (first.status !== 200 || first.bytes !== assetBytes)
    throw new Error(`asset: ${first.status}, ${first.bytes} bytes`);
  await measure("hashed asset, within 5 s", "0 D1 trips, 0 written", () => get());
  await new Promise((done) => setTimeout(done, 5200));
  await measure("hashed asset, after 5 s", "1 D1 trip, 0 written", () => get());
  const etag = String(first.headers.etag);
  await measure("304", "0 R2 reads", async () => {
    const response = await get({ "if-none-match": etag });
    if (response.status !== 304) throw new Error(`304: ${response.status}`);
  });
  const large = await client.upload(app.id, siteOf(5000, "large"));
  await measure("finalize 5,000 files", "2 D1 trips", () => client.finalize(app.id, large));
  return rows;
}

async function serveRate(front: string, host: string, path: string): Promise<number> {
  let left = callsPerRound;
  const startedAt = performance.now();
  const work = async () => {
    while (left-- > 0) {
      const { status } = await getFrom(front, host, path);
      if (status !== 200) throw new Error(`${host}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return (callsPerRound * 1000) / (performance.now() - startedAt);
}

/** Returns the seconds from `startedAt` until the front serves this version of the host, asked all the time from now on. */
async function visibleAfter(
  front: string,
  host: string,
  { etag, wanted, startedAt }: { etag: string; wanted: boolean; startedAt: number },
): Promise<number> {
  for (;;) {
    const { headers } = await getFrom(front, host, "/");
    if ((headers.etag === etag) === wanted) return (performance.now() - startedAt) / 1000;
  }
}

/** Measures times and the throughput beside the bare Worker. */
async function time(runtime: Runtime): Promise<string[][]> {
  const prepared = await prepare(runtime);
  const { client, app, front, elsewhere, host } = prepared;
  const seconds = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    return (performance.now() - startedAt) / 1000;
  };
  const rows: string[][] = [];
  const [first, firstSite] = [siteOf(214, "one"), siteOf(214, "one")];
  const firstId = await deploy(prepared, first);
  client.takeSentBytes();
  const again = await seconds(() => deploy(prepared, firstSite));
  rows.push([
    "redeploy 214 unchanged files",
    `${again.toFixed(2)} s, ${client.takeSentBytes()} bytes sent`,
    "2 s, 0 bytes",
  ]);
  const ratios: number[] = [];
  await serveRate(front, host, assetPath);
  await serveRate(front, "bare", `/?get=asset`);
  for (let round = 0; round < rounds; round++) {
    ratios.push((await serveRate(front, host, assetPath)) / (await serveRate(front, "bare", "/?get=asset")));
  }
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  rows.push(["hashed asset, calls per second to bare", `${median(ratios).toFixed(2)} (${range})`, "0.8"]);
  const { headers } = await getFrom(front, host, "/");
  const oldEtag = String(headers.etag);
  const large = await client.upload(app.id, siteOf(5000, "large"));
  /** Changes what is live, and measures when both isolates serve it. The other one has just looked up what was live before. */
  const measureVisibility = async (name: string, wanted: boolean, change: () => Promise<unknown>) => {
    await getFrom(elsewhere, host, "/");
    await change();
    const startedAt = performance.now();
    const version = { etag: oldEtag, wanted, startedAt };
    const seen = await Promise.all([front, elsewhere].map((each) => visibleAfter(each, host, version)));
    const [same = Number.NaN, other = Number.NaN] = seen;
    rows.push([`${name} visible, same isolate`, `${same.toFixed(2)} s`, "at once"]);
    rows.push([`${name} visible, another isolate`, `${other.toFixed(2)} s`, "5 s"]);
  };
  let finalized = 0;
  await measureVisibility("finalize", false, async () => {
    finalized = await seconds(() => client.finalize(app.id, large));
  });
  rows.push(["finalize 5,000 files", `${finalized.toFixed(2)} s`, "1 s"]);
  await measureVisibility("rollback", true, () => client.rollback(app.id, firstId));
  return rows;
}

/** Imports an archive of 95 MB with 5,000 files, and returns the memory of the isolate. */
async function importArchive(runtime: Runtime): Promise<string[][]> {
  const { client, app } = await prepare(runtime);
  const memory = await openIsolateMemory(await runtime.inspector(), "platform-hosting");
  const archive = randomArchive(5000, 94 * MB - 5000 * 1024);
  const { id } = await client.post<{ id: string }>(`apps/${app.id}/deployments`, { app_version: "1.0.0" });
  const sizes = [await memory.read()];
  const watch = setInterval(async () => void sizes.push(await memory.read()), 50);
  const startedAt = performance.now();
  let status = "";
  try {
    await client.call("PUT", `apps/${app.id}/deployments/${id}/upload`, archive as BodyInit);
    await client.finalize(app.id, id);
    for (const end = Date.now() + 300_000; Date.now() < end; await new Promise((done) => setTimeout(done, 250))) {
      ({ status } = await client.read(app.id, id));
      if (status !== "extracting") break;
    }
  } finally {
    clearInterval(watch);
    memory.close();
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const [before, highest] = [sizes[0] ?? 0, Math.max(...sizes)].map((size) => (size / MB).toFixed(1));
  const size = (archive.length / MB).toFixed(1);
  return [
    [
      `archive of ${size} MB and 5,000 files`,
      `${status} after ${seconds} s; ${before} MB before, at most ${highest} MB in ${sizes.length} samples`,
      "64 MB",
    ],
  ];
}

// Builds the bundles and prints their sizes.
await import("../../scripts/build.ts");
try {
  const rows: string[][] = [];
  const add = (measure: (runtime: Runtime) => Promise<string[][]>) => async (runtime: Runtime) => {
    const measured = await measure(runtime);
    rows.push(...measured);
    for (const row of measured) console.log(row.join(" | "));
  };
  await withRuntime(await workers(true), services, add(count));
  await withRuntime(await workers(false), services, add(time));
  // Only this measurement uses the inspector, because it slows calls down.
  await withRuntime(await workers(false), services, add(importArchive), 0);
  printTable([["", "measured", "bound"], ...rows]);
} finally {
  closeConnections();
}
