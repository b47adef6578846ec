import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readSlowly, startSink } from "../smtp/sink.ts";
import { openIsolateMemory } from "../support/isolate-memory.ts";
import { type Call, send } from "../support/load.ts";
import { signInOwner } from "../support/person.ts";
import { type Runtime, type Settings, serviceWorker, withRuntime } from "../support/runtime.ts";
import {
  apiSettings,
  createDirectKey,
  json,
  mailWorkers,
  seedCompany,
  sender,
  services,
  settingsOf,
} from "./workers.ts";

const MB = 1024 * 1024;
const totalBytes = 5 * MB;
const maxWaitMs = 60_000;
/** Pause of the providers after each chunk, so that mails are sent more slowly than attachments are read. */
const pauseMs = 10;
/** Size of a file that is sent as a list of numbers. A larger one would exceed the maximum size of a request. */
const numberedBytes = 2 * MB;
/** Maximum memory of the isolate in MB. */
export const memoryLimit = 64;

/** A provider that counts the mails that it has read. */
type Provider = { settings: Settings; mails: () => number; close: () => void };

async function startApi(): Promise<Provider> {
  let mails = 0;
  const server = createServer((request, response) => {
    void readSlowly(request, pauseMs).then(() => {
      mails += 1;
      response.end(JSON.stringify({ id: crypto.randomUUID() }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { settings: apiSettings(port), mails: () => mails, close: () => server.close() };
}

async function startRelay(): Promise<Provider> {
  const sink = await startSink({ pauseMs });
  const settings = {
    EMAIL_FALLBACK_PROVIDER: "smtp",
    EMAIL_HOST: "127.0.0.1",
    EMAIL_PORT: String(sink.port),
    EMAIL_USE_TLS: "false",
  };
  return { settings, mails: () => sink.counts().mails, close: sink.close };
}

/** Returns identity, email and storage. Email reads objects of storage. */
async function workers(transport: Settings) {
  return [
    ...(await mailWorkers(false, transport)),
    await serviceWorker("storage", {
      settings: { ...settingsOf("storage"), EMAIL_SERVICE_API_KEY: "" },
      isMetered: false,
      services: {
        IDENTITY: "platform-identity",
        IDENTITY_RPC: { name: "platform-identity", entrypoint: "IdentityRpc" },
        EMAIL: "mail-sink",
      },
    }),
  ];
}

const fileOf = (size: number, index: number) => ({
  filename: `report-${index}.bin`,
  content: randomBytes(size).toString("base64"),
});

/** Stores a file in storage and returns the attachment that refers to it. */
async function storeFile(runtime: Runtime, owner: string) {
  const path = `reports/${crypto.randomUUID()}.bin`;
  const response = await fetch(`${await runtime.url("platform-storage")}/storage/v1/object/company/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${owner}`, "content-type": "application/octet-stream" },
    body: randomBytes(totalBytes),
  });
  if (!response.ok) throw new Error(`storage: ${response.status} ${await response.text()}`);
  return { storage: { bucket: "company", path } };
}

/** Runs `work` and returns the memory of email's isolate before it, and the largest one during it, in MB. */
async function watch(runtime: Runtime, work: () => Promise<void>): Promise<{ before: number; highest: number }> {
  const memory = await openIsolateMemory(await runtime.inspector(), "platform-email");
  const sizes = [await memory.read()];
  let isDone = false;
  const sample = async () => {
    while (!isDone) {
      sizes.push(await memory.read());
      await new Promise((done) => setTimeout(done, 2));
    }
  };
  const sampling = sample();
  try {
    await work();
  } finally {
    isDone = true;
    await sampling;
    memory.close();
  }
  return { before: (sizes[0] ?? 0) / MB, highest: Math.max(...sizes) / MB };
}

async function waitForMails(provider: Provider, count: number): Promise<void> {
  for (const end = Date.now() + maxWaitMs; provider.mails() < count; ) {
    if (Date.now() > end) throw new Error(`${provider.mails()} of ${count} mails arrived`);
    await new Promise((done) => setTimeout(done, 5));
  }
}

export type MemoryRow = { name: string; before: number; accept: number; deliver: number };

/** Measures each kind of attachment with one transport. The isolate is new for each kind. */
async function measure(transport: string, start: () => Promise<Provider>): Promise<MemoryRow[]> {
  const rows: MemoryRow[] = [];
  const kinds: [string, (runtime: Runtime, owner: string) => Promise<object[]>][] = [
    ["one file in base64", async () => [fileOf(totalBytes, 0)]],
    ["ten files in base64", async () => Array.from({ length: 10 }, (_, index) => fileOf(totalBytes / 10, index))],
    ["2 MiB as numbers", async () => [{ filename: "report.bin", content: [...randomBytes(numberedBytes)] }]],
    ["one file of storage", async (runtime, owner) => [await storeFile(runtime, owner)]],
  ];
  for (const [name, attachmentsOf] of kinds) {
    const provider = await start();
    const run = async (runtime: Runtime) => {
      await seedCompany(runtime);
      const owner = await signInOwner(runtime);
      const url = await runtime.url("platform-email");
      const key = await createDirectKey(url, owner);
      const mail = (attachments: object[]): Call =>
        json(`${url}/api/v1/emails`, key, {
          from: sender,
          to: "reader@example.com",
          subject: "Report",
          text: "The report is attached.",
          attachments,
        });
      // The first mail imports keys and opens caches.
      await send(mail([]));
      await waitForMails(provider, 1);
      const call = mail(await attachmentsOf(runtime, owner));
      const accept = await watch(runtime, async () => void (await send(call)));
      const deliver = await watch(runtime, () => waitForMails(provider, 2));
      rows.push({
        name: `${name}, by ${transport}`,
        before: accept.before,
        accept: accept.highest,
        deliver: deliver.highest,
      });
    };
    // Only this measurement uses the inspector, because it slows calls down.
    try {
      await withRuntime(await workers(provider.settings), [...services, "storage"], run, 0);
    } finally {
      provider.close();
    }
  }
  return rows;
}

/** Returns the memory of email's isolate while it accepts and delivers a mail with 5 MiB of attachments, by each transport. */
export const attachmentMemory = async (): Promise<MemoryRow[]> => [
  ...(await measure("the mail API", startApi)),
  ...(await measure("SMTP", startRelay)),
];
