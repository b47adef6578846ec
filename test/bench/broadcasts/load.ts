import { serviceKeysOf } from "../../../scripts/support/start/secrets.ts";
import { json, secrets } from "../mail/workers.ts";
import { openIsolateMemory } from "../support/isolate-memory.ts";
import { send } from "../support/load.ts";
import { redirectTo } from "../support/person.ts";
import type { Runtime } from "../support/runtime.ts";
import { openCompany } from "./company.ts";
import type { Provider } from "./provider.ts";

const MB = 1024 * 1024;
const importSize = 10_000;
const parallelBroadcasts = 10;
const signInMails = 100;
const MAX_MS = 60 * 60_000;
const MAX_ARRIVAL_MS = 60_000;

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Creates a list of company 1 with `size` confirmed subscribers. */
async function createList(company: Awaited<ReturnType<typeof openCompany>>, size: number): Promise<number> {
  const { id } = await company.createList("News");
  for (let from = 1; from <= size; from += importSize)
    await company.importSubscribers(id, from, Math.min(from + importSize, size + 1));
  return id;
}

/** Returns the time in seconds until ten broadcasts of 10,000 recipients, sent at once, are prepared. */
export async function prepareTen(runtime: Runtime): Promise<number> {
  const company = await openCompany(runtime);
  const list = await createList(company, importSize);
  const audience = { mode: "newsletter", list_id: list };
  const ids = await Promise.all(Array.from({ length: parallelBroadcasts }, () => company.createBroadcast(audience)));
  const startedAt = performance.now();
  await Promise.all(ids.map((id) => company.sendBroadcast(id)));
  for (const id of ids) await company.waitFor(id, ["sending", "sent"], MAX_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(ids.map((id) => company.cancelBroadcast(id)));
  return seconds;
}

/** Returns the 99th percentile of the time in ms from the request of a sign-in mail to its arrival at the provider. */
async function signInLatency(url: string, provider: Provider, name: string): Promise<number> {
  const { identity: key = "" } = serviceKeysOf(secrets);
  const waits: number[] = [];
  for (let index = 0; index < signInMails; index++) {
    const email = `${name}${index}@example.com`;
    const requestedAt = Date.now();
    await send(
      json(`${url}/api/v1/send`, key, {
        company_id: 1,
        idempotency_key: crypto.randomUUID(),
        template_key: "identity.auth.magic_link.requested",
        to: [{ email }],
        variables: { company_name: "Aster", magic_link_url: `${redirectTo}?token=x` },
      }),
    );
    let arrival = provider.arrivals.get(email);
    for (; arrival === undefined; arrival = provider.arrivals.get(email)) {
      if (Date.now() > requestedAt + MAX_ARRIVAL_MS) throw new Error(`the mail to ${email} did not arrive`);
      await pause(2);
    }
    waits.push(arrival.at - requestedAt);
    await pause(100);
  }
  return waits.sort((a, b) => a - b)[Math.ceil(waits.length * 0.99) - 1] ?? Number.NaN;
}

/** The latency of sign-in mail (ms, 99th percentile) without and with a broadcast that waits. */
export async function measureSignIn(runtime: Runtime, provider: Provider, recipients: number) {
  const company = await openCompany(runtime);
  await signInLatency(company.url, provider, "warm");
  const idle = await signInLatency(company.url, provider, "idle");
  const list = await createList(company, recipients);
  const id = await company.createBroadcast({ mode: "newsletter", list_id: list });
  await company.sendBroadcast(id);
  await company.waitFor(id, ["sending"], MAX_MS);
  const busy = await signInLatency(company.url, provider, "busy");
  const waiting = (await company.show(id)).counts?.pending ?? 0;
  await company.cancelBroadcast(id);
  return { idle, busy, waiting };
}

/**
 * Sends a broadcast of `recipients` without a limit of the rate. Returns its time in seconds, the largest memory of email's
 * isolate in MB, the latency of sign-in mail meanwhile, and how many addresses got no mail or more than one.
 */
export async function sendAtOnce(runtime: Runtime, provider: Provider, recipients: number) {
  const company = await openCompany(runtime);
  const list = await createList(company, recipients);
  const memory = await openIsolateMemory(await runtime.inspector(), "platform-email");
  const id = await company.createBroadcast({ mode: "newsletter", list_id: list });
  let highest = 0;
  let isDone = false;
  const sample = async () => {
    while (!isDone) {
      highest = Math.max(highest, await memory.read());
      await pause(20);
    }
  };
  const sampling = sample();
  const startedAt = performance.now();
  await company.sendBroadcast(id);
  await company.waitFor(id, ["sending", "sent"], MAX_MS);
  const busy = await signInLatency(company.url, provider, "busy");
  const { counts } = await company.waitFor(id, ["sent"], MAX_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  isDone = true;
  await sampling;
  memory.close();
  const readers = [...provider.arrivals].filter(([address]) => address.startsWith("reader"));
  const doubled = readers.filter(([, { mails }]) => mails > 1).length;
  return { seconds, highest: highest / MB, busy, missing: recipients - readers.length, doubled, counts };
}
