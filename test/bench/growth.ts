// Counts the rows that every list reads when its company has 1,000,000 rows in each growing table. Calls each list of
// the API documents without a filter and with each of its filters. Fails if a call reads more than its page and 5,000
// rows. A further argument changes the number of rows.
import { readFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { demo, seedStatements } from "../../scripts/support/databases/seed.ts";
import { loadModule } from "../../scripts/support/load.ts";
import { type Service, services } from "../../scripts/support/services.ts";
import { changeableSettings, portSettings } from "../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../scripts/support/start/secrets.ts";
import type { ApiDocument } from "../support/http/api-document.ts";
import { callsOf, type ListCall } from "./growth/lists.ts";
import type { MailSinkState } from "./mail-sink/worker.ts";
import { sumOf } from "./meter/tally.ts";
import { closeConnections, send } from "./support/load.ts";
import { openMeters } from "./support/meters.ts";
import { redirectTo, signInCalls, type Tokens, tokenOf } from "./support/person.ts";
import { benchWorker, type Runtime, serviceWorker, withRuntime } from "./support/runtime.ts";

const rows = Number(process.argv[3] ?? 1_000_000);
/** rows that one statement inserts */
const chunk = 100_000;
/** Maximum rows that a list may read in addition to the rows of its page and of the pages before it. */
const extraRows = 5_000;

async function fill(runtime: Runtime, service: Service): Promise<void> {
  const d1 = await runtime.database("DB", `platform-${service}`);
  for (const { table, store } of fills[service] ?? []) {
    const startedAt = performance.now();
    for (let from = 1; from <= rows; from += chunk) await store(d1, { from, to: Math.min(from + chunk - 1, rows) });
    console.log(`${service}: ${rows} rows of ${table} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
}

const { fills } = await loadModule<typeof import("./growth/rows.ts")>(
  fileURLToPath(new URL("./growth/rows.ts", import.meta.url)),
);
const secrets = await makeSecrets();
const derived = portSettings({ port: 5173, smtpPort: 1, shellPort: null });

/** Service bindings of the services other than identity. */
const serviceBindings = {
  IDENTITY: "platform-identity",
  IDENTITY_RPC: { name: "platform-identity", entrypoint: "IdentityRpc" },
  EMAIL: "mail-sink",
};

async function workers() {
  const settingsOf = (service: Service) => ({
    ...changeableSettings[service],
    ...secrets[service],
    ...derived[service],
  });
  return [
    await serviceWorker("identity", {
      // Longer than all calls of the benchmark take.
      settings: { ...settingsOf("identity"), JWT_ACCESS_TOKEN_LIFETIME: "1h" },
      isMetered: true,
      services: { EMAIL: "mail-sink" },
    }),
    await serviceWorker("email", { settings: settingsOf("email"), isMetered: true }),
    ...(await Promise.all(
      (["hosting", "storage"] as const).map((service) =>
        serviceWorker(service, {
          // Without this key, the service does not post events to the email service. Such posts would distort the
          // measurement.
          settings: { ...settingsOf(service), EMAIL_SERVICE_API_KEY: "" },
          isMetered: true,
          services: serviceBindings,
        }),
      ),
    )),
    await benchWorker("mail-sink", "mail-sink/worker.ts"),
  ];
}

/** Signs a seeded user in and returns the access token. */
async function signIn(runtime: Runtime, email: string): Promise<string> {
  const calls = signInCalls(await runtime.url("platform-identity"));
  await send(calls.requestLink(0, email));
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const { links } = (await (await fetch(await runtime.url("mail-sink"))).json()) as MailSinkState;
    const link = links[email];
    if (link) return (JSON.parse((await send(calls.consume(0, tokenOf(link)))).text) as Tokens).access_token;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`no link for ${email}`);
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);

type Outcome = { status: number; returned: number; read: number; ms: number; cursor: string | null };

async function run(runtime: Runtime): Promise<void> {
  const seed = await seedStatements({
    ...demo,
    origins: [new URL(redirectTo).origin],
    serviceKeys: serviceKeysOf(secrets),
  });
  for (const service of services) {
    const d1 = await runtime.database("DB", `platform-${service}`);
    if (seed[service].length > 0) await d1.batch(seed[service].map((text) => d1.prepare(text)));
  }
  const tokens = [await signIn(runtime, "owner@example.com"), await signIn(runtime, "staff@example.com")];
  // The first request creates the company's bucket, which the inserted objects belong to.
  await fetch(`${await runtime.url("platform-storage")}/storage/v1/quota`, {
    headers: { authorization: `Bearer ${tokens[0]}` },
  });
  for (const service of services) await fill(runtime, service);
  const meters = await openMeters(
    runtime,
    services.map((service) => `platform-${service}`),
  );

  /** Makes a call as the owner, or as staff if owners may not make it. */
  async function callList(service: Service, { path, query, body: requestBody }: ListCall): Promise<Outcome> {
    const url = `${await runtime.url(`platform-${service}`)}${path}?${query}`;
    const json = requestBody && { method: "POST", body: JSON.stringify(requestBody) };
    for (const [index, token] of tokens.entries()) {
      await meters.takeNow();
      const startedAt = performance.now();
      const response = await fetch(url, {
        ...json,
        headers: { authorization: `Bearer ${token}`, ...(json ? { "content-type": "application/json" } : {}) },
      });
      const body = (await response.json()) as Record<string, unknown>;
      const ms = performance.now() - startedAt;
      if (response.status === 403 && index + 1 < tokens.length) continue;
      const entries = (await meters.takeNow()).get(`platform-${service}`) ?? [];
      const returned = Array.isArray(body) ? body.length : Math.max(0, ...Object.values(body).map(lengthOf));
      const next = body.next_cursor ?? body.nextCursor ?? response.headers.get("x-next-cursor");
      const cursor = typeof next === "string" ? next : null;
      return { status: response.status, returned, read: sumOf(entries, "statement").read, ms, cursor };
    }
    throw new Error(`nobody may read ${path}`);
  }

  let failures = 0;
  console.log(`\n${"status".padStart(8)}${"found".padStart(7)}${"rows read".padStart(11)}${"ms".padStart(8)}`);
  const report = (service: Service, call: ListCall, outcome: Outcome) => {
    const { status, returned, read, ms } = outcome;
    // The service rejects a page number that is too high.
    const isRejected = status === 400 && call.query.includes("&page=");
    const isWithinLimit = (status === 200 || isRejected) && read <= call.pageSize + extraRows + call.skippedRows;
    if (!isWithinLimit) failures += 1;
    const cells = `${String(status).padStart(8)}${String(returned).padStart(7)}${String(read).padStart(11)}${ms.toFixed(0).padStart(8)}`;
    console.log(
      `${cells}  ${isWithinLimit ? "  " : "X "}${service} ${call.path}?${call.query}${call.body ? JSON.stringify(call.body) : ""}`,
    );
  };
  for (const service of services) {
    const document = await readFile(
      new URL(`../../.generated/docs/static/docs/${service}.json`, import.meta.url),
      "utf8",
    );
    for (const call of callsOf(service, JSON.parse(document) as ApiDocument)) {
      const outcome = await callList(service, call);
      report(service, call, outcome);
      if (outcome.cursor === null) continue;
      const { cursor } = outcome;
      const next = call.body
        ? { ...call, body: { ...call.body, offset: undefined, cursor } }
        : { ...call, query: `${call.query}&cursor=${encodeURIComponent(cursor)}`, skippedRows: 0 };
      report(service, next, await callList(service, next));
    }
  }
  console.log(`\n${failures} calls failed, or read more than their page and ${extraRows} rows.`);
  if (failures > 0) process.exitCode = 1;
}

await import("../../scripts/build.ts");
try {
  await withRuntime(await workers(), services, run);
} finally {
  closeConnections();
}
