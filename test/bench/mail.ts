// Measures the cost of accepting mail until the response, and of later requests by owners and providers, with the
// production bundles of identity and email. Counts round trips, rows and Durable Object calls in the runtime, and
// measures response times of sequential calls. The provider responds immediately. Also measures the memory of email for
// mails with attachments. Fails if mail with its own content exceeds a limit.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { loadModule } from "../../scripts/support/load.ts";
import { serviceKeysOf } from "../../scripts/support/start/secrets.ts";
import { attachmentMemory, type MemoryRow, memoryLimit } from "./mail/attachments.ts";
import { batchOf, directMail, maxRows, maxStatements, rowsOfOneMail, storingStatements } from "./mail/direct.ts";
import { signInDocument } from "./mail/document.ts";
import {
  apiSettings,
  createDirectKey,
  get,
  json,
  mailWorkers,
  providerSecret,
  secrets,
  seedCompany,
  services,
} from "./mail/workers.ts";
import { type Entry, sumOf } from "./meter/tally.ts";
import { type Call, closeConnections, send } from "./support/load.ts";
import { openMeters } from "./support/meters.ts";
import { signInOwner } from "./support/person.ts";
import { priceOf } from "./support/prices.ts";
import { type Runtime, withRuntime } from "./support/runtime.ts";
import { median, printTable } from "./support/throughput-report.ts";

const { storeMonth, eventsOfADay } = await loadModule<typeof import("../support/email/month.ts")>(
  fileURLToPath(new URL("../support/email/month.ts", import.meta.url)),
);

const { listRenderMs } = await loadModule<typeof import("./mail/list.ts")>(
  fileURLToPath(new URL("mail/list.ts", import.meta.url)),
);

const timedCalls = 40;
const listItems = 100;
const messagesPerMonth = 10_000;
/** Maximum round trips to accept an event, for any number of rules. */
const eventTrips = "3 trips";
const mailName = "mail with its content";
const batchName = "batch of 100 mails with 1 MB";
const randomBatchName = "batch of 100 mails with 1 MB of random text";

/** A provider that accepts every mail. */
const provider = createServer((request, response) => {
  request.resume().on("end", () => response.end(JSON.stringify({ id: crypto.randomUUID() })));
});
await once(provider.listen(0, "127.0.0.1"), "listening");

const workers = (isMetered: boolean) => mailWorkers(isMetered, apiSettings((provider.address() as AddressInfo).port));

let lastRecipient = 0;
const recipients = (count: number) =>
  Array.from({ length: count }, () => ({ email: `reader${++lastRecipient}@example.com` }));

/** `target` is the maximum cost. `times` is how many calls are timed. */
type Operation = { name: string; call: () => Call; target?: string; times?: number };

/** Stores a month of messages for a company and runs the job that rolls them up. */
async function prepareMonth(runtime: Runtime): Promise<void> {
  const d1 = await runtime.database("DB", "platform-email");
  await storeMonth(d1, 1, { from: 1, to: messagesPerMonth });
  // In a new database, the roll-up mark excludes all messages that are older than the database.
  await d1.prepare("update stats_marks set counted_before = 0").run();
  const countRows = async () =>
    (await d1.prepare("select count(*) as n from stats_days where company_id = 1").first<number>("n")) ?? 0;
  for (const end = Date.now() + 30_000; (await countRows()) === 0; ) {
    if (Date.now() > end) throw new Error("no roll-ups were made");
    await runtime.runCron("email", "* * * * *", new Date());
  }
  console.log(`${messagesPerMonth} messages of ${eventsOfADay} events are ${await countRows()} rows of statistics`);
}

/** Sends messages, waits until the provider has accepted them, and returns their ids. */
async function sentMessages(runtime: Runtime, call: () => Call): Promise<string[]> {
  const d1 = await runtime.database("DB", "platform-email");
  const { messages } = JSON.parse((await send(call())).text) as { messages: { id: string }[] };
  const unsentCount = d1
    .prepare("select count(*) as n from messages where status <> 'sent' and id in (select value from json_each(?))")
    .bind(JSON.stringify(messages.map(({ id }) => id.slice(4))));
  for (const end = Date.now() + 30_000; ((await unsentCount.first<number>("n")) ?? 0) > 0; ) {
    if (Date.now() > end) throw new Error("not all messages were sent");
    await new Promise((done) => setTimeout(done, 50));
  }
  return messages.map(({ id }) => id);
}

/** Returns the call for a signed provider event about a message. */
function providerEvent(url: string, type: string, messageId: string): Call {
  const body = JSON.stringify({ type, data: { tags: { message_id: messageId } } });
  const id = crypto.randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", providerSecret).update(`${id}.${timestamp}.${body}`).digest("base64");
  const proof = { "hook-id": id, "hook-timestamp": timestamp, "hook-signature": `v1,${signature}` };
  const headers = { "content-type": "application/json", ...proof };
  return { url: `${url}/api/v1/provider-webhooks/api/bench`, method: "POST", headers, body };
}

/** Returns the operations of an owner on a custom sign-in mail of 100 KB. */
async function templateOperations(url: string, owner: string): Promise<Operation[]> {
  await send(get(`${url}/api/v1/rules`, owner));
  const event = "identity.auth.magic_link.requested";
  const { templates } = JSON.parse((await send(get(`${url}/api/v1/templates`, owner))).text) as {
    templates: { id: number; event_type: string }[];
  };
  const copy = `${url}/api/v1/templates/${templates.find(({ event_type }) => event_type === event)?.id}`;
  const draft = { subject: "Sign in", document: signInDocument(100_000) };
  const store = () => json(`${copy}/versions`, owner, draft);
  const numbers: number[] = [];
  for (let index = 0; index < 2; index++)
    numbers.push((JSON.parse((await send(store())).text) as { number: number }).number);
  let published = 0;
  return [
    { name: "compose and store 100 KB", call: store, target: "50 ms" },
    { name: "compose and show 100 KB", call: () => json(`${copy}/preview`, owner, draft) },
    {
      name: "publish 100 KB of sign-in mail",
      call: () => json(`${copy}/versions/${numbers[published++ % numbers.length]}/publish`, owner, {}),
    },
  ];
}

/** Creates the rules of company 1 with the API, and returns the operations to measure. */
async function prepare(runtime: Runtime): Promise<Operation[]> {
  await seedCompany(runtime);
  const url = await runtime.url("platform-email");
  const owner = await signInOwner(runtime);
  await prepareMonth(runtime);
  const listed = await fetch(`${url}/api/v1/library`, { headers: { authorization: `Bearer ${owner}` } });
  const { templates } = (await listed.json()) as { templates: { id: number; key: string }[] };
  const content = { library_id: templates.find(({ key }) => key === "barebone.text-only")?.id };
  const createRules = async (count: number, rule: object) => {
    for (let index = 0; index < count; index++) await send(json(`${url}/api/v1/rules`, owner, { content, ...rule }));
  };
  await createRules(1, { event_type: "hosting.app.created" });
  await createRules(10, { event_type: "hosting.app.deleted" });
  const staticRecipients = recipients(50).map(({ email }) => email);
  await createRules(1, {
    event_type: "hosting.deployment.created",
    recipient_mode: "static",
    static_recipients: staticRecipients,
  });
  const { hosting: key = "" } = serviceKeysOf(secrets);
  const direct = await createDirectKey(url, owner);
  const unique = () => ({ "Idempotency-Key": crypto.randomUUID() });
  const sendBatch = (size: number, isRandom: boolean) => () =>
    json(`${url}/api/v1/emails/batch`, direct, batchOf(100, size, isRandom), unique());
  const common = () => ({ company_id: 1, idempotency_key: crypto.randomUUID() });
  const payload = { display_name: "Field Notes", app_version: "1.4.0" };
  const sendTo = (count: number) => () =>
    json(`${url}/api/v1/send`, key, {
      ...common(),
      template_key: "hosting.app.created",
      to: recipients(count),
      variables: payload,
    });
  const sendByUnknownKey = () => ({
    ...json(`${url}/api/v1/send`, `esk_${crypto.randomUUID()}`, {
      ...common(),
      template_key: "hosting.app.created",
      to: recipients(50),
      variables: payload,
      padding: Array.from({ length: 60_000 }, () => [0]),
    }),
    acceptedErrors: [401, 429],
  });
  const event = (event_type: string, count: number) => () =>
    json(`${url}/api/v1/events`, key, { ...common(), event_type, payload, recipients: recipients(count) });
  const stats = () => get(`${url}/api/v1/stats`, owner);
  const sent = await sentMessages(runtime, sendTo(50));
  const unreportedIds = { delivered: [...sent], bounced: [...sent] };
  const reportNext = (type: keyof typeof unreportedIds) => () =>
    providerEvent(url, `email.${type}`, unreportedIds[type].pop() ?? "");
  return [
    { name: "statistics of 30 days", call: stats },
    ...(await templateOperations(url, owner)),
    { name: "provider event, delivered", call: reportNext("delivered"), target: "2 trips" },
    { name: "provider event, bounced", call: reportNext("bounced"), target: "2 trips" },
    { name: "send to 1", call: sendTo(1), target: "2 trips" },
    { name: "send to 50", call: sendTo(50), target: "2 trips" },
    { name: "send of 250 KB by an unknown key", call: sendByUnknownKey, target: "1 trip" },
    { name: "event without a rule", call: event("hosting.deployment.failed", 1), target: eventTrips },
    { name: "event to 1", call: event("hosting.app.created", 1), target: eventTrips },
    { name: "event to 50", call: event("hosting.app.created", 50), target: eventTrips },
    { name: "event to 1, ten rules", call: event("hosting.app.deleted", 1), target: eventTrips },
    { name: "event to 50, ten rules", call: event("hosting.app.deleted", 50), target: eventTrips },
    { name: "event to a rule's own 50", call: event("hosting.deployment.created", 0), target: eventTrips },
    {
      name: mailName,
      call: () => json(`${url}/api/v1/emails`, direct, directMail(), unique()),
      target: "2 trips",
    },
    { name: "statistics, after all of these", call: stats },
    { name: batchName, call: sendBatch(10_000, false), target: "2 trips", times: 5 },
    { name: randomBatchName, call: sendBatch(10_000, true), target: "2 trips", times: 5 },
  ];
}

type Counted = { name: string; target: string; entries: Entry[] };

/** Returns the calls of each operation to the runtime until its response, without the later delivery. */
async function count(runtime: Runtime): Promise<Counted[]> {
  const operations = await prepare(runtime);
  const meters = await openMeters(runtime, ["platform-email"]);
  const counted: Counted[] = [];
  for (const { name, call, target = "" } of operations) {
    // The first call of an operation imports keys and creates counters, so it is not counted.
    await send(call());
    await meters.take();
    await send(call());
    counted.push({ name, target, entries: (await meters.takeNow()).get("platform-email") ?? [] });
    await meters.settle();
  }
  return counted;
}

/** Returns the median response time in ms by operation. */
async function time(runtime: Runtime): Promise<Map<string, number>> {
  const timed = new Map<string, number>();
  for (const { name, call, times = timedCalls } of await prepare(runtime)) {
    const durations: number[] = [];
    for (let index = 0; index < times; index++) {
      const request = call();
      const startedAt = performance.now();
      await send(request);
      durations.push(performance.now() - startedAt);
    }
    timed.set(name, median(durations));
  }
  return timed;
}

/** A measured figure and its maximum. */
type Figure = { name: string; value: number; unit: string; max: number };

/** Prints the figures of mail with its own content, and sets the exit code when one exceeds its maximum. */
function report(figures: Figure[]): void {
  printTable([
    ["", "measured", "at most", ""],
    ...figures.map(({ name, value, unit, max }) => [
      name,
      `${+value.toFixed(1)} ${unit}`,
      `${max} ${unit}`,
      value > max ? "X" : "",
    ]),
  ]);
  if (figures.some(({ value, max }) => value > max)) process.exitCode = 1;
}

function figuresOf(counted: Counted[], rows: number): Figure[] {
  const entriesOf = (name: string) => counted.find((entry) => entry.name === name)?.entries ?? [];
  const statements = (name: string) => ({
    name: `${name}: statements that store it`,
    value: storingStatements(entriesOf(name)),
    unit: "",
    max: maxStatements,
  });
  return [
    { name: `${mailName}: round trips`, value: sumOf(entriesOf(mailName), "round trip").calls, unit: "", max: 2 },
    { name: `${mailName}: rows from acceptance to purge`, value: rows, unit: "", max: maxRows },
    statements(batchName),
    statements(randomBatchName),
    { name: `fill a list of ${listItems} items`, value: listRenderMs(listItems), unit: "ms", max: 10 },
  ];
}

const memoryFigures = (rows: MemoryRow[]): Figure[] =>
  rows.flatMap(({ name, accept, deliver }) => [
    { name: `${name}: memory while it is accepted`, value: accept, unit: "MB", max: memoryLimit },
    { name: `${name}: memory while it is sent`, value: deliver, unit: "MB", max: memoryLimit },
  ]);

// Builds the bundles and prints their sizes.
await import("../../scripts/build.ts");
try {
  let counted: Counted[] = [];
  let rows = Number.NaN;
  await withRuntime(await workers(true), services, async (runtime) => {
    counted = await count(runtime);
  });
  await withRuntime(await workers(true), services, async (runtime) => {
    rows = await rowsOfOneMail(runtime);
  });
  await withRuntime(await workers(false), services, async (runtime) => {
    const timed = await time(runtime);
    printTable([
      ["", "D1 trips", "written", "read", "object calls", "messages", "$/million", "ms", "target"],
      ...counted.map(({ name, target, entries }) => [
        name,
        sumOf(entries, "round trip").calls,
        sumOf(entries, "statement").written,
        sumOf(entries, "statement").read,
        sumOf(entries, "object call").calls,
        sumOf(entries, "queue message").calls,
        priceOf(entries).toFixed(2),
        (timed.get(name) ?? Number.NaN).toFixed(1),
        target,
      ]),
    ]);
  });
  report([...figuresOf(counted, rows), ...memoryFigures(await attachmentMemory())]);
} finally {
  closeConnections();
  provider.close();
}
