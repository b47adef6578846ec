// What accepting mail costs before its answer, on the production bundles of identity and email: round trips, rows and calls of
// objects counted at the runtime, and how long an answer takes, one call after the other. A provider answers at once.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { changeableSettings, portSettings } from "../../scripts/support/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../scripts/support/secrets.ts";
import { demo, seedStatements } from "../../scripts/support/seed.ts";
import type { Taken } from "./mail-sink/worker.ts";
import { type Entry, sumOf } from "./meter/tally.ts";
import { type Call, closeConnections, send } from "./support/load.ts";
import { openMeters } from "./support/meters.ts";
import { redirectTo, signInCalls, type Tokens, tokenOf } from "./support/person.ts";
import { priceOf } from "./support/prices.ts";
import { benchWorker, type Runtime, serviceWorker, withRuntime } from "./support/runtime.ts";
import { median, printTable } from "./support/throughput-report.ts";

const timedCalls = 40;
const services = ["identity", "email"] as const;
const secrets = await makeSecrets();
const derived = portSettings({ port: 5173, smtpPort: 1, shellPort: null });

/** A provider that takes every mail. */
const provider = createServer((request, response) => {
  request.resume().on("end", () => response.end(JSON.stringify({ id: crypto.randomUUID() })));
});
await once(provider.listen(0, "127.0.0.1"), "listening");

async function workers(isMetered: boolean) {
  const settingsOf = (service: (typeof services)[number]) => ({
    ...changeableSettings[service],
    ...secrets[service],
    ...derived[service],
  });
  return [
    await serviceWorker("identity", { settings: settingsOf("identity"), isMetered, services: { EMAIL: "mail-sink" } }),
    await serviceWorker("email", {
      settings: {
        ...settingsOf("email"),
        EMAIL_FALLBACK_PROVIDER: "api",
        PROVIDER_API_KEY: "key",
        PROVIDER_API_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
        EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR: "1000000",
      },
      isMetered,
    }),
    await benchWorker("mail-sink", "mail-sink/worker.ts"),
  ];
}

const json = (url: string, bearer: string, body: object): Call => ({
  url,
  method: "POST",
  headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Signs the owner of company 1 in; the access token. */
async function signIn(runtime: Runtime): Promise<string> {
  const calls = signInCalls(await runtime.url("platform-identity"));
  const address = "owner@example.com";
  await send(calls.requestLink(0, address));
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const { links } = (await (await fetch(await runtime.url("mail-sink"))).json()) as Taken;
    const link = links[address];
    if (link) return (JSON.parse((await send(calls.consume(0, tokenOf(link)))).text) as Tokens).access_token;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("no link for the owner");
}

let lastRecipient = 0;
const recipients = (count: number) =>
  Array.from({ length: count }, () => ({ email: `reader${++lastRecipient}@example.com` }));

type Operation = { name: string; call: () => Call };

/** The rules of company 1 by the API, and what is measured. */
async function prepare(runtime: Runtime): Promise<Operation[]> {
  const seed = await seedStatements({
    ...demo,
    origins: [new URL(redirectTo).origin],
    serviceKeys: serviceKeysOf(secrets),
  });
  for (const service of services) {
    const d1 = await runtime.database("DB", `platform-${service}`);
    await d1.batch(seed[service].map((text) => d1.prepare(text)));
  }
  const url = await runtime.url("platform-email");
  const owner = await signIn(runtime);
  const listed = await fetch(`${url}/api/v1/library`, { headers: { authorization: `Bearer ${owner}` } });
  const { templates } = (await listed.json()) as { templates: { id: number; key: string }[] };
  const content = { library_id: templates.find(({ key }) => key === "barebone.text-only")?.id };
  const makeRules = async (count: number, rule: object) => {
    for (let made = 0; made < count; made++) await send(json(`${url}/api/v1/rules`, owner, { content, ...rule }));
  };
  await makeRules(1, { event_type: "hosting.app.created" });
  await makeRules(10, { event_type: "hosting.app.deleted" });
  const own = recipients(50).map(({ email }) => email);
  await makeRules(1, { event_type: "hosting.deployment.created", recipient_mode: "static", static_recipients: own });
  const key = serviceKeysOf(secrets).hosting;
  const common = () => ({ company_id: 1, idempotency_key: crypto.randomUUID() });
  const payload = { display_name: "Field Notes", app_version: "1.4.0" };
  const sendTo = (count: number) => () =>
    json(`${url}/api/v1/send`, key, {
      ...{ ...common(), template_key: "hosting.app.created", to: recipients(count), variables: payload },
    });
  const event = (event_type: string, count: number) => () =>
    json(`${url}/api/v1/events`, key, { ...common(), event_type, payload, recipients: recipients(count) });
  return [
    { name: "send to 1", call: sendTo(1) },
    { name: "send to 50", call: sendTo(50) },
    { name: "event without a rule", call: event("hosting.deployment.failed", 1) },
    { name: "event to 1", call: event("hosting.app.created", 1) },
    { name: "event to 50", call: event("hosting.app.created", 50) },
    { name: "event to 1, ten rules", call: event("hosting.app.deleted", 1) },
    { name: "event to 50, ten rules", call: event("hosting.app.deleted", 50) },
    { name: "event to a rule's own 50", call: event("hosting.deployment.created", 0) },
  ];
}

/** What each operation asks of the runtime until its answer; what is delivered then is left out. */
async function count(runtime: Runtime): Promise<Map<string, Entry[]>> {
  const operations = await prepare(runtime);
  const meters = await openMeters(runtime, ["platform-email"]);
  const counted = new Map<string, Entry[]>();
  for (const { name, call } of operations) {
    // The first call of a kind opens keys and counters.
    await send(call());
    await meters.take();
    await send(call());
    counted.set(name, (await meters.takeNow()).get("platform-email") ?? []);
    await meters.settle();
  }
  return counted;
}

/** Milliseconds of an answer, by operation. */
async function time(runtime: Runtime): Promise<Map<string, number>> {
  const timed = new Map<string, number>();
  for (const { name, call } of await prepare(runtime)) {
    const took: number[] = [];
    for (let made = 0; made < timedCalls; made++) {
      const one = call();
      const startedAt = performance.now();
      await send(one);
      took.push(performance.now() - startedAt);
    }
    timed.set(name, median(took));
  }
  return timed;
}

// Makes the bundles and prints their sizes.
await import("../../scripts/build.ts");
try {
  let counted = new Map<string, Entry[]>();
  await withRuntime(await workers(true), services, async (runtime) => {
    counted = await count(runtime);
  });
  await withRuntime(await workers(false), services, async (runtime) => {
    const timed = await time(runtime);
    printTable([
      ["", "D1 trips", "written", "read", "object calls", "messages", "$/million", "ms"],
      ...[...counted].map(([name, entries]) => [
        name,
        sumOf(entries, "round trip").calls,
        sumOf(entries, "statement").written,
        sumOf(entries, "statement").read,
        sumOf(entries, "object call").calls,
        sumOf(entries, "queue message").calls,
        priceOf(entries).toFixed(2),
        (timed.get(name) ?? Number.NaN).toFixed(1),
      ]),
    ]);
  });
} finally {
  closeConnections();
  provider.close();
}
