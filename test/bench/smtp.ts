// Measures the mails per second that the email service sends by SMTP, from the first call until the relay has received
// the last mail, and the mails per connection. Uses the production bundle. The relay responds immediately.

import { demo, seedStatements } from "../../scripts/support/databases/seed.ts";
import { changeableSettings, portSettings } from "../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../scripts/support/start/secrets.ts";
import { startSink } from "./smtp/sink.ts";
import { type Call, closeConnections, sendAll } from "./support/load.ts";
import { redirectTo } from "./support/person.ts";
import { benchWorker, type Runtime, serviceWorker, withRuntime } from "./support/runtime.ts";
import { printTable } from "./support/throughput-report.ts";

const mailsPerCase = 1000;
const recipientsPerSend = 50;
const maxWaitMs = 120_000;

const secrets = await makeSecrets();
const sink = await startSink();
const derived = portSettings({ port: 5173, smtpPort: sink.port, shellPort: null });

const workers = async () => [
  await serviceWorker("email", {
    settings: {
      ...changeableSettings.email,
      ...secrets.email,
      ...derived.email,
      EMAIL_FALLBACK_PROVIDER: "smtp",
      EMAIL_HOST: "127.0.0.1",
      EMAIL_PORT: String(sink.port),
      EMAIL_USE_TLS: "false",
      EMAIL_COMPANY_AUTH_LIMIT: "0",
      EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR: "1000000",
    },
    isMetered: false,
    services: { IDENTITY: "other", IDENTITY_RPC: "other" },
  }),
  await benchWorker("other", "mail-sink/worker.ts"),
];

let lastRecipient = 0;
const recipients = (count: number) =>
  Array.from({ length: count }, () => ({ email: `reader${++lastRecipient}@example.com` }));

function sendCall(url: string, key: string, message: { template_key: string; variables: object; to: object[] }): Call {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ company_id: 1, idempotency_key: crypto.randomUUID(), ...message });
  return { url: `${url}/api/v1/send`, method: "POST", headers, body };
}

/** Sends all calls and waits until the relay has received their mails. */
async function measure(calls: Call[], mails: number): Promise<{ perSecond: number; connections: number }> {
  const before = sink.counts();
  const { startedAt } = await sendAll(calls);
  for (const end = Date.now() + maxWaitMs; sink.counts().mails - before.mails < mails; ) {
    if (Date.now() > end) throw new Error(`${sink.counts().mails - before.mails} of ${mails} mails arrived`);
    await new Promise((done) => setTimeout(done, 20));
  }
  const { connections, lastAt } = sink.counts();
  return { perSecond: (mails / (lastAt - startedAt)) * 1000, connections: connections - before.connections };
}

async function run(runtime: Runtime): Promise<void> {
  const keys = serviceKeysOf(secrets);
  const seed = await seedStatements({ ...demo, origins: [new URL(redirectTo).origin], serviceKeys: keys });
  const d1 = await runtime.database("DB", "platform-email");
  await d1.batch(seed.email.map((text) => d1.prepare(text)));
  const url = await runtime.url("platform-email");
  const signIn = () => {
    const variables = { company_name: "Aster", magic_link_url: `${new URL(redirectTo).origin}/verify?token=t` };
    const message = { template_key: "identity.auth.magic_link.requested", variables, to: recipients(1) };
    return sendCall(url, keys.identity ?? "", message);
  };
  const notice = () => {
    const message = { template_key: "hosting.app.created", variables: { display_name: "Field Notes" } };
    return sendCall(url, keys.hosting ?? "", { ...message, to: recipients(recipientsPerSend) });
  };
  const cases = [
    { name: "single sign-in mails", calls: mailsPerCase, call: signIn, mailsPerCall: 1 },
    {
      name: `sends to ${recipientsPerSend}`,
      calls: mailsPerCase / recipientsPerSend,
      call: notice,
      mailsPerCall: recipientsPerSend,
    },
  ];
  const rows = [];
  for (const { name, calls, call, mailsPerCall } of cases) {
    // The first calls import keys and prepare statements, so they are not measured.
    await measure([call(), call()], 2 * mailsPerCall);
    const requests = Array.from({ length: calls }, call);
    const { perSecond, connections } = await measure(requests, calls * mailsPerCall);
    rows.push([
      name,
      calls * mailsPerCall,
      perSecond.toFixed(0),
      connections,
      ((calls * mailsPerCall) / connections).toFixed(1),
    ]);
  }
  printTable([["by SMTP", "mails", "mails per second", "connections", "mails per connection"], ...rows]);
}

// Builds the bundles and prints their sizes.
await import("../../scripts/build.ts");
try {
  await withRuntime(await workers(), ["email"], run);
} finally {
  closeConnections();
  sink.close();
}
