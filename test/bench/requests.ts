// What each hot path costs, on production bundles, and how large these are. Prints tables and never fails on time.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { createTestHarness } from "wrangler";
import { type Platform, startPlatform } from "../support/platform/platform.ts";

const calls = 200;
const parallel = 8;
const manyRows = 100_000;

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
type Cost = { db_round_trips: number; db_rows_read: number; db_rows_written: number; limiter_calls: number };
type Row = { name: string; cost: Cost; perSecond: number; barePerSecond: number };

/** Runs `call` so many times, some at once; requests a second. Any answer but 2xx ends the run. */
async function measure(call: (index: number) => Promise<Response>): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const work = async () => {
    for (let index = next++; index < calls; index = next++) {
      const response = await call(index);
      const text = await response.text();
      if (!response.ok) throw new Error(`${response.status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return (calls / (performance.now() - startedAt)) * 1000;
}

/** The median cost of the log lines that match: what is done once a minute or once per isolate is not every request's. */
function costOf(lines: string[], matches: (line: Record<string, unknown>) => boolean): Cost {
  const found = lines.flatMap((text) => {
    if (!text.startsWith("{")) return [];
    const line = JSON.parse(text) as Record<string, unknown> & Cost;
    return matches(line) ? [line] : [];
  });
  if (found.length === 0) throw new Error("no log line of the measured operation");
  const median = (name: keyof Cost) => found.map((line) => line[name]).sort((a, b) => a - b)[found.length >> 1] ?? 0;
  return {
    db_round_trips: median("db_round_trips"),
    db_rows_read: median("db_rows_read"),
    db_rows_written: median("db_rows_written"),
    limiter_calls: median("limiter_calls"),
  };
}

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

async function startBare() {
  const directory = fileURLToPath(new URL("./bare/wrangler.toml", import.meta.url));
  const server = createTestHarness({ workers: [{ configPath: directory }] });
  const { url } = await server.listen();
  const { DB } = await server.getWorker<{ DB: D1Database }>().getEnv();
  await DB.exec("CREATE TABLE bare (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL)");
  return {
    perSecond: (cost: Cost, writes: number) => {
      const reads = Math.max(0, cost.db_round_trips - writes);
      return measure(() => fetch(`${url}?reads=${reads}&writes=${writes}&objects=${cost.limiter_calls}`));
    },
    close: () => server.close(),
  };
}

const redirect_to = "http://localhost:5173/login/callback";

/** Links whose tokens are known, stored past the front door: consume is measured, not the request for a link. */
async function storeLinks(platform: Platform, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => randomBytes(32).toString("base64url"));
  const now = Date.now();
  const rows = tokens.map((token, index) => [randomUUID(), `bench${index}-${now}@example.com`, sha256(token)]);
  await platform.rows(
    "identity",
    `INSERT INTO sign_in_requests (id, company_id, email, token_hash, redirect_to, token_delivery, language, created_at, expires_at)
     SELECT value ->> 0, 1, value ->> 1, value ->> 2, ?2, 'code', 'en', ?3, ?3 + 3600000 FROM json_each(?1)`,
    JSON.stringify(rows),
    redirect_to,
    now,
  );
  return tokens;
}

/** Auth codes of the bench's own people, stored past the front door: the redeem is measured, not the sign-in before it. */
async function storeAuthCodes(platform: Platform, count: number): Promise<string[]> {
  const codes = Array.from({ length: count }, () => randomBytes(32).toString("base64url"));
  const { origin, pathname } = new URL(redirect_to);
  await platform.rows(
    "identity",
    `INSERT INTO auth_codes (code_hash, user_id, company_id, provider, redirect_to, redirect_key, auth_time,
       client_context, created_at, expires_at)
     SELECT c.value, (SELECT user_id FROM memberships WHERE company_id = 1 AND state = 'allowed' LIMIT 1), 1, 'google',
       ?2, ?3, ?4, '{}', ?4, ?4 + 600000 FROM json_each(?1) c`,
    JSON.stringify(codes.map(sha256)),
    redirect_to,
    JSON.stringify([origin, pathname, []]),
    Date.now(),
  );
  return codes;
}

async function storeServiceKey(platform: Platform): Promise<string> {
  const key = `esk_${randomBytes(32).toString("base64url")}`;
  await platform.rows(
    "email",
    `INSERT INTO service_clients (service, name, key_prefix, key_hash, allowed_lanes, allowed_template_prefixes, seal_id, created_at)
     VALUES ('identity', 'bench', ?1, ?2, '["auth","transactional"]', '["identity."]', ?3, ?4)`,
    key.slice(0, 12),
    sha256(key),
    randomUUID(),
    Date.now(),
  );
  return key;
}

/** Fills the tables that the hot paths read, to show that rows read do not follow. */
async function fillTables(platform: Platform): Promise<void> {
  const series = (from: number) =>
    `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + 9_999})`;
  const now = Date.now();
  for (let from = 1_000_000; from < 1_000_000 + manyRows; from += 10_000) {
    for (const statement of [
      `INSERT INTO users (id, email, username, created_at, updated_at) SELECT i, 'many' || i || '@example.com', 'many' || i, ${now}, ${now} FROM n`,
      `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, created_at) SELECT 1, i, 'allowed', 'join_rule', ${now}, ${now} FROM n`,
      `INSERT INTO sessions (id, user_id, company_id, provider, auth_time, rotated_at, idle_expires_at, absolute_expires_at, created_at) SELECT 'many' || i, i, 1, 'magic_link', ${now}, ${now}, ${now + 1e9}, ${now + 1e9}, ${now} FROM n`,
      `INSERT INTO sign_in_requests (id, company_id, email, token_hash, redirect_to, token_delivery, language, created_at, expires_at) SELECT 'many' || i, 1, 'many' || i || '@example.com', 'many' || i, 'http://localhost/', 'code', 'en', ${now}, ${now + 1e9} FROM n`,
    ]) {
      await platform.rows(
        "identity",
        statement.replace(/^INSERT INTO (\w+ \([^)]*\)) SELECT/, `INSERT INTO $1 ${series(from)} SELECT`),
      );
    }
    await platform.rows(
      "email",
      `INSERT INTO messages (id, company_id, service, template_key, event_type, language, lane, category, scope, status,
         to_enc, to_masked, email_hmac, next_attempt_at, accepted_at, trace, request_id)
       ${series(from)} SELECT printf('%032x', i), 1, 'identity', 'x', 'x', 'en', 'transactional', 'transactional', 'platform', 'sent',
         '', '', 'many' || i, ${now}, ${now}, '{}', '' FROM n`,
    );
  }
}

const routeIs = (service: string, route: string) => (line: Record<string, unknown>) =>
  line.message === "request" && line.service === service && line.route === route;

async function measureAll(
  platform: Platform,
  bare: Awaited<ReturnType<typeof startBare>>,
  suffix: string,
): Promise<Row[]> {
  const rows: Row[] = [];
  const add = async (
    name: string,
    writes: number,
    matches: Parameters<typeof costOf>[1],
    call: (i: number) => Promise<Response>,
  ) => {
    platform.takeLogs();
    const perSecond = await measure(call);
    const cost = costOf(platform.takeLogs(), matches);
    rows.push({ name, cost, perSecond, barePerSecond: await bare.perSecond(cost, writes) });
  };
  const identity = `${platform.url}/identity/api/v1`;
  const email = `${platform.url}/email/api/v1`;
  const tokens = await storeLinks(platform, calls);
  const sessions: { access_token: string; refresh_token: string }[] = [];

  await add("link request", 1, routeIs("identity", "/api/v1/magic-link/request"), (i) =>
    fetch(
      `${identity}/magic-link/request`,
      json({ company_id: 1, email: `ask${i}${suffix}@example.com`, redirect_to }),
    ),
  );
  await add("JSON consume", 1, routeIs("identity", "/api/v1/magic-link/verify"), async (i) => {
    const response = await fetch(`${identity}/magic-link/verify`, json({ token: tokens[i], company_id: 1 }));
    if (response.ok) sessions[i] = (await response.clone().json()) as (typeof sessions)[number];
    return response;
  });
  await add("refresh", 1, routeIs("identity", "/api/v1/token"), (i) =>
    fetch(`${identity}/token?grant_type=refresh_token`, json({ refresh_token: sessions[i]?.refresh_token })),
  );
  await add("GET /user", 0, routeIs("identity", "/api/v1/user"), (i) =>
    fetch(`${identity}/user`, { headers: { authorization: `Bearer ${sessions[i]?.access_token}` } }),
  );
  const owner = { authorization: `Bearer ${sessions[0]?.access_token}` };
  await platform.rows(
    "identity",
    "UPDATE memberships SET is_owner = 1 WHERE company_id = 1 AND user_id = (SELECT id FROM users WHERE email = ?)",
    (JSON.parse(atob(sessions[0]?.access_token.split(".")[1] ?? "")) as { email: string }).email,
  );
  const made = await fetch(`${identity}/personal-access-tokens`, json({ name: `bench ${suffix}` }, owner));
  const { access_token: pat } = (await made.json()) as { access_token: string };
  await add("GET /user by PAT", 0, routeIs("identity", "/api/v1/user"), () =>
    fetch(`${identity}/user`, { headers: { authorization: `Bearer ${pat}` } }),
  );
  const codes = await storeAuthCodes(platform, calls);
  await add("OAuth redeem", 1, routeIs("identity", "/api/v1/oauth/session"), (i) =>
    fetch(`${identity}/oauth/session`, json({ auth_code: codes[i], redirect_to })),
  );
  await add("users, 100", 0, routeIs("identity", "/api/v1/users"), () =>
    fetch(`${identity}/users?page_size=100`, { headers: owner }),
  );
  await add("metrics scrape", 0, routeIs("identity", "/api/v1/metrics"), () =>
    fetch(`${identity}/metrics`, { headers: owner }),
  );
  const key = await storeServiceKey(platform);
  const send = (i: number) =>
    fetch(
      `${email}/send`,
      json(
        {
          company_id: 1,
          template_key: "identity.user.created",
          idempotency_key: `bench-${suffix}-${i}`,
          to: [{ email: `sent${i}${suffix}@example.com` }],
          variables: { company_name: "Demo", source: "bench" },
        },
        { authorization: `Bearer ${key}` },
      ),
    );
  await add("send accept", 1, routeIs("email", "/api/v1/send"), send);
  return rows;
}

/** One message by its doorbell alone: the cost that the queue consumer logs. */
async function measureDelivery(platform: Platform): Promise<Cost> {
  const end = Date.now() + 60_000;
  const lines: string[] = [];
  for (;;) {
    lines.push(...platform.takeLogs());
    const isSingle = (line: Record<string, unknown>) =>
      line.message === "queue batch" && line.ids === 1 && Number(line.db_round_trips) > 1;
    if (lines.some((text) => text.startsWith("{") && isSingle(JSON.parse(text) as Record<string, unknown>)))
      return costOf(lines, isSingle);
    if (Date.now() > end) throw new Error("no delivery of a single message was logged");
    await new Promise((wait) => setTimeout(wait, 200));
  }
}

function print(title: string, rows: Row[]): void {
  console.log(`\n${title}`);
  console.log("operation         round trips  rows read  rows written  DO calls   req/s   bare req/s   ratio");
  for (const { name, cost, perSecond, barePerSecond } of rows) {
    const cells = [cost.db_round_trips, cost.db_rows_read, cost.db_rows_written, cost.limiter_calls];
    const widths = [11, 9, 12, 8];
    const numbers = cells.map((cell, index) => String(cell).padStart(widths[index] ?? 8)).join("  ");
    const ratio = (perSecond / barePerSecond).toFixed(2);
    console.log(
      `${name.padEnd(16)}  ${numbers}  ${perSecond.toFixed(0).padStart(6)}  ${barePerSecond.toFixed(0).padStart(11)}  ${ratio.padStart(6)}`,
    );
  }
}

const many = "1000000/min";
// Makes the bundles and prints their sizes.
await import("../../scripts/build.ts");
const settings = {
  identity: {
    AUTH_RATE_LIMIT_MAGIC_LINK: many,
    AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: many,
    AUTH_RATE_LIMIT_TOKEN_REFRESH: many,
    AUTH_RATE_LIMIT_OAUTH: many,
    // Sign-in mail is left out here: it is accept and delivery, which have rows of their own.
    EMAIL_SERVICE_API_KEY: "",
  },
  email: { EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR: "1000000" },
};
const platform = await startPlatform(settings, { areBundles: true });
const bare = await startBare();
try {
  print(`${calls} calls, ${parallel} at once, tables nearly empty`, await measureAll(platform, bare, "a"));
  const key = await storeServiceKey(platform);
  await fetch(
    `${platform.url}/email/api/v1/send`,
    json(
      {
        company_id: 1,
        template_key: "identity.user.created",
        to: [{ email: "one@example.com" }],
        variables: { company_name: "Demo" },
      },
      { authorization: `Bearer ${key}` },
    ),
  );
  const delivery = await measureDelivery(platform);
  console.log(
    `one delivery by SMTP: ${delivery.db_round_trips} round trips (one of them marks DATA), ${delivery.db_rows_read} rows read, ${delivery.db_rows_written} written`,
  );
  await fillTables(platform);
  print(
    `${calls} calls, ${parallel} at once, ${manyRows} more rows in each table`,
    await measureAll(platform, bare, "b"),
  );
} finally {
  await bare.close();
  await platform.close();
}
