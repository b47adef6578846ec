// Measures the cost of objects with the production bundles of identity and storage. Counts round trips and rows in the
// runtime, measures sequential calls, and compares the throughput with a bare Worker that makes the same calls to D1
// and R2. Includes lists of folders with 100 and 100,000 files, and the Worker's memory during an upload of 1 GB in
// parts. Prints tables and never fails because of times.

import { demo, seedStatements } from "../../scripts/support/databases/seed.ts";
import { changeableSettings, portSettings } from "../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../scripts/support/start/secrets.ts";
import { type Entry, sumOf } from "./meter/tally.ts";
import { openIsolateMemory } from "./support/isolate-memory.ts";
import { type Call, closeConnections, send, sendAll } from "./support/load.ts";
import { openMeters } from "./support/meters.ts";
import { redirectTo, signInOwner } from "./support/person.ts";
import { priceOf } from "./support/prices.ts";
import { benchWorker, type Runtime, serviceWorker, withRuntime } from "./support/runtime.ts";
import { median, printTable } from "./support/throughput-report.ts";

const services = ["identity", "storage"] as const;
const timedCalls = 40;
const rounds = 7;
const MB = 1024 * 1024;
const bigFolder = 100_000;
const bigUpload = 1024 * MB;
const secrets = await makeSecrets();
const derived = portSettings({ port: 5173, smtpPort: 1, shellPort: null });

async function workers(isMetered: boolean) {
  const settingsOf = (service: (typeof services)[number]) => ({
    ...changeableSettings[service],
    ...secrets[service],
    ...derived[service],
  });
  return [
    await serviceWorker("identity", {
      // Longer than all calls of the benchmark take.
      settings: { ...settingsOf("identity"), JWT_ACCESS_TOKEN_LIFETIME: "1h" },
      isMetered,
      services: { EMAIL: "mail-sink" },
    }),
    await serviceWorker("storage", {
      settings: {
        ...settingsOf("storage"),
        DEFAULT_COMPANY_QUOTA_BYTES: "1T",
        API_MUTATION_RATE_LIMIT: "1000000/min",
        // Without this key, the service does not post events to the email service. Such posts would distort the
        // measurement.
        EMAIL_SERVICE_API_KEY: "",
      },
      isMetered,
      services: {
        IDENTITY: "platform-identity",
        IDENTITY_RPC: { name: "platform-identity", entrypoint: "IdentityRpc" },
        EMAIL: "mail-sink",
      },
    }),
    await benchWorker("mail-sink", "mail-sink/worker.ts"),
    await benchWorker("bare", "bare/worker.ts", {
      d1Databases: { DB: "bare" },
      r2Buckets: { OBJECTS: "bare" },
      serviceBindings: { MAIL: "mail-sink" },
      durableObjects: { COUNTER: { className: "Counter", useSQLite: true } },
    }),
  ];
}

/**
 * `bare` returns the same call to the bare Worker, with `extraQuery` in its query. `target` is the maximum cost of the
 * operation.
 */
type Operation = { name: string; call: () => Call; bare?: (extraQuery: string) => Call; target: string };

type Prepared = { url: string; bearer: string; operations: Operation[] };

/** Inserts the object rows of a folder with many files. The files have no blobs, because no call reads them. */
async function fillFolder(runtime: Runtime, folder: string, count: number): Promise<void> {
  const d1 = await runtime.database("DB", "platform-storage");
  const bucket = await d1.prepare("select id from storage_buckets where name = 'company'").first<string>("id");
  const slice = 20_000;
  for (let from = 0; from < count; from += slice) {
    await d1
      .prepare(
        `with recursive n(i) as (select ?2 union all select i + 1 from n where i + 1 < ?3)
        insert into storage_objects (bucket_id, name, parent, id, company_id, owner_id, size, etag, mime_type, blob_key, version,
          change_id, created_at, updated_at)
        select ?1, ?4 || '/' || printf('%06d', i) || '.txt', ?4 || char(1), ?4 || i, 1, 1, 1, 'e', 'text/plain', 'none', 1, ?4 || i, i, i from n`,
      )
      .bind(bucket, from, Math.min(count, from + slice), folder)
      .run();
  }
}

async function prepare(runtime: Runtime): Promise<Prepared> {
  const seed = await seedStatements({
    ...demo,
    origins: [new URL(redirectTo).origin],
    serviceKeys: serviceKeysOf(secrets),
  });
  const identity = await runtime.database("DB", "platform-identity");
  await identity.batch(seed.identity.map((text) => identity.prepare(text)));
  const bareDb = await runtime.database("DB", "bare");
  await bareDb.exec("CREATE TABLE bare (id INTEGER PRIMARY KEY, at INTEGER NOT NULL)");
  const url = `${await runtime.url("platform-storage")}/storage/v1`;
  const bareUrl = await runtime.url("bare");
  const bearer = await signInOwner(runtime);
  let objectCount = 0;
  const call = (method: Call["method"], path: string, body?: string, type = "application/octet-stream"): Call => ({
    url: `${url}/${path}`,
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body === undefined ? {} : { "content-type": type }) },
    ...(body === undefined ? {} : { body }),
  });
  const [small, large] = ["x".repeat(1024), "x".repeat(10 * MB)];
  await send(call("POST", "object/company/kept/small.bin", small));
  await send(call("POST", "object/company/kept/large.bin", large));
  for (const [folder, count] of [
    ["few", 100],
    ["many", bigFolder],
  ] as const)
    await fillFolder(runtime, folder, count);
  const upload = (body: string) => () => call("POST", `object/company/made/${objectCount++}.bin`, body);
  const list =
    (prefix: string, offset = 0) =>
    () =>
      call("POST", "object/list/company", JSON.stringify({ prefix, limit: 100, offset }), "application/json");
  const bareCall =
    (query: string, method: Call["method"], body?: string) =>
    (extraQuery: string): Call => ({
      url: `${bareUrl}/?${query.replace("NEXT", String(objectCount++))}${extraQuery}`,
      method,
      headers: {},
      ...(body === undefined ? {} : { body }),
    });
  for (const body of [small, large]) await send(bareCall(`put=${body.length}`, "POST", body)(""));
  const operations: Operation[] = [
    {
      name: "upload 1 KB",
      call: upload(small),
      bare: bareCall("reads=1&writes=2&put=NEXT", "POST", small),
      target: "4 trips",
    },
    {
      name: "upload 10 MB",
      call: upload(large),
      bare: bareCall("reads=1&writes=2&put=NEXT", "POST", large),
      target: "4 trips",
    },
    {
      name: "overwrite 1 KB",
      call: () => ({ ...call("POST", "object/company/kept/small.bin", small), method: "PUT" as never }),
      target: "4 trips",
    },
    {
      name: "download 1 KB",
      call: () => call("GET", "object/company/kept/small.bin"),
      bare: bareCall(`reads=1&get=${small.length}`, "GET"),
      target: "2 trips",
    },
    {
      name: "download 10 MB",
      call: () => call("GET", "object/company/kept/large.bin"),
      bare: bareCall(`reads=1&get=${large.length}`, "GET"),
      target: "2 trips",
    },
    { name: "list 100 of 100", call: list("few"), target: "1 trip of 3 queries" },
    { name: `list 100 of ${bigFolder}`, call: list("many"), target: "1 trip of 3 queries" },
    { name: "quota", call: () => call("GET", "quota"), target: "2 trips" },
  ];
  return { url, bearer, operations };
}

type Counted = { name: string; target: string; entries: Entry[] };

async function count(runtime: Runtime): Promise<Counted[]> {
  const { operations } = await prepare(runtime);
  const meters = await openMeters(runtime, ["platform-storage"]);
  const counted: Counted[] = [];
  for (const { name, call, target } of operations) {
    // The first call of an operation imports keys, so it is not counted.
    await send(call());
    await meters.take();
    await send(call());
    counted.push({ name, target, entries: (await meters.takeNow()).get("platform-storage") ?? [] });
    await meters.settle();
  }
  return counted;
}

/** Returns the median response time in ms. */
async function time(call: () => Call): Promise<number> {
  const durations: number[] = [];
  for (let index = 0; index < timedCalls; index++) {
    const request = call();
    const startedAt = performance.now();
    await send(request);
    durations.push(performance.now() - startedAt);
  }
  return median(durations);
}

/**
 * Measures the calls per second to the service and to the bare Worker in alternating rounds. Returns the median of the
 * rounds' ratios.
 */
async function compareWithBare({ call, bare }: Operation, entries: Entry[]): Promise<string> {
  if (!bare) return "";
  const calls = call().body?.length === 10 * MB || call().url.endsWith("large.bin") ? 16 : 80;
  const rate = async (make: () => Call) => {
    const { startedAt, endedAt } = await sendAll(Array.from({ length: calls }, make));
    return (calls * 1000) / (endedAt - startedAt);
  };
  const { calls: statements, written } = sumOf(entries, "statement");
  const objects = sumOf(entries, "object call").calls;
  const extraQuery = `&statements=${statements}&rows=${written}&objects=${objects}`;
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) ratios.push((await rate(call)) / (await rate(() => bare(extraQuery))));
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)})`;
}

/**
 * Uploads 1 GB in parts, two at a time. Returns the memory of the Worker's isolate during the upload, including
 * garbage.
 */
async function uploadLarge(runtime: Runtime): Promise<string> {
  const { url, bearer } = await prepare(runtime);
  const memory = await openIsolateMemory(await runtime.inspector(), "platform-storage");
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const started = await send({
    url: `${url}/upload/company/made/large.bin`,
    method: "POST",
    headers,
    body: JSON.stringify({ size: bigUpload }),
  });
  const upload = JSON.parse(started.text) as { id: string; part_size: number; part_count: number };
  const part = new Uint8Array(upload.part_size).fill(1);
  const sizes = [await memory.read()];
  const watch = setInterval(async () => void sizes.push(await memory.read()), 50);
  const startedAt = performance.now();
  let next = 1;
  const work = async () => {
    for (let partNumber = next++; partNumber <= upload.part_count; partNumber = next++) {
      const size = Math.min(upload.part_size, bigUpload - (partNumber - 1) * upload.part_size);
      const response = await fetch(`${url}/upload/${upload.id}/${partNumber}`, {
        method: "PUT",
        headers: { authorization: headers.authorization },
        body: part.subarray(0, size),
      });
      if (!response.ok) throw new Error(`part ${partNumber}: ${response.status} ${await response.text()}`);
    }
  };
  try {
    await Promise.all([work(), work()]);
    await send({ url: `${url}/upload/${upload.id}/complete`, method: "POST", headers, body: "{}" });
  } finally {
    clearInterval(watch);
    memory.close();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const [before, highest] = [sizes[0] ?? 0, Math.max(...sizes)].map((size) => (size / MB).toFixed(1));
  return `1 GB in ${upload.part_count} parts: ${seconds.toFixed(1)} s; memory of the Worker: ${before} MB before, at most ${highest} MB in ${sizes.length} samples`;
}

// Builds the bundles and prints their sizes.
await import("../../scripts/build.ts");
try {
  let counted: Counted[] = [];
  await withRuntime(await workers(true), services, async (runtime) => {
    counted = await count(runtime);
  });
  await withRuntime(await workers(false), services, async (runtime) => {
    const prepared = await prepare(runtime);
    const rows: (string | number)[][] = [];
    for (const operation of prepared.operations) {
      const { name, target, entries } = counted.find((candidate) => candidate.name === operation.name) as Counted;
      rows.push([
        name,
        sumOf(entries, "round trip").calls,
        sumOf(entries, "statement").calls,
        sumOf(entries, "statement").written,
        sumOf(entries, "statement").read,
        priceOf(entries).toFixed(2),
        (await time(operation.call)).toFixed(1),
        await compareWithBare(operation, entries),
        target,
      ]);
    }
    printTable([["", "D1 trips", "statements", "written", "read", "$/million", "ms", "to bare", "target"], ...rows]);
  });
  // Only this measurement uses the inspector, because it slows calls down.
  await withRuntime(await workers(false), services, async (runtime) => console.log(await uploadLarge(runtime)), 0);
} finally {
  closeConnections();
}
