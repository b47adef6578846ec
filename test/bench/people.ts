// Measures directory sync (SCIM) against the production bundle of identity:
// - the rows and D1 round trips of a user's creation, retrieval and changes
// - the rows that filters and the pages of a list of 100,000 users read
// - the rate of an initial sync of 10,000 users and 100 groups of 1,000 members over 4 connections that obeys `Retry-After`
// Fails when a page, the sync or a group lost a user. `-- people 500` syncs 500 users and 5 groups, and lists 5,000 users.
import { createHash } from "node:crypto";
import process from "node:process";
import { demo, seedStatements } from "../../scripts/support/databases/seed.ts";
import { changeableSettings, portSettings } from "../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../scripts/support/start/secrets.ts";
import { type Entry, sumOf } from "./meter/tally.ts";
import { openMeters } from "./support/meters.ts";
import { redirectTo } from "./support/person.ts";
import { benchWorker, type Runtime, serviceWorker, withRuntime } from "./support/runtime.ts";
import { printTable } from "./support/throughput-report.ts";

const WORKER = "platform-identity";
const CONNECTIONS = 4;
const PAGE = 100;
/** Members that a request adds to a group. */
const USERS_PER_REQUEST = 100;

const syncedUsers = Number(process.argv[3] ?? 10_000);
if (!Number.isSafeInteger(syncedUsers) || syncedUsers < 100)
  throw new Error("The number of users must be at least 100.");
const syncedGroups = Math.ceil(syncedUsers / 100);
const groupSize = Math.min(1_000, syncedUsers);
const listedUsers = syncedUsers * 10;
/** The company that syncs, and the company with a long list. */
const companies = { synced: 1, listed: 2 };

type Resource = { id: string };
type Body = { id?: string; totalResults?: number; Resources?: Resource[]; members?: { value: string }[] };
type Directory = { call: (method: string, path: string, body?: unknown) => Promise<Body>; waits: () => number };
type Meters = Awaited<ReturnType<typeof openMeters>>;

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

function requireEqual(what: string, actual: unknown, expected: number): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}

/** Stores a token of a company. The returned calls throw for any status except 2xx and 429, after which they wait and try again. */
async function openDirectory(runtime: Runtime, companyId: number): Promise<Directory> {
  const token = `pst_${String(companyId).repeat(43)}`;
  const hash = createHash("sha256").update(token).digest("hex");
  const d1 = await runtime.database("DB", WORKER);
  await d1
    .prepare(
      "insert into scim_tokens (id, company_id, token_hash, token_prefix, created_at) values (?1, ?2, ?3, ?4, 1)",
    )
    .bind(crypto.randomUUID(), companyId, hash, token.slice(0, 12))
    .run();
  const base = `${await runtime.url(WORKER)}/api/v1/companies/${companyId}/scim/v2`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/scim+json" };
  let waits = 0;
  const call = async (method: string, path: string, body?: unknown): Promise<Body> => {
    for (;;) {
      const response = await fetch(base + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
      const text = await response.text();
      if (response.ok) return text === "" ? {} : (JSON.parse(text) as Body);
      const seconds = Number(response.headers.get("retry-after"));
      if (response.status !== 429 || !(seconds > 0)) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      waits += 1;
      await pause(seconds * 1000);
    }
  };
  return { call, waits: () => waits };
}

const addressOf = (name: string | number) => `person-${name}@aster.example`;
const newUser = (name: string | number) => ({
  userName: addressOf(name),
  externalId: `external-${name}`,
  name: { givenName: "Mina", familyName: "Laurent" },
  displayName: "Mina Laurent",
  emails: [{ value: addressOf(name), type: "work", primary: true }],
});
const replace = (path: string, value: unknown) => ({ Operations: [{ op: "replace", path, value }] });

/** Stores the company with the long list and its users. */
async function storeListedUsers(runtime: Runtime): Promise<void> {
  const d1 = await runtime.database("DB", WORKER);
  const company = companies.listed;
  await d1.batch(
    [
      `insert into companies (id, name, slug, created_at, updated_at) values (${company}, 'Listed', 'listed', 1, 1)`,
      `insert into users (email, username, created_at, updated_at)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < ${listedUsers})
       select 'listed-' || i || '@aster.example', 'listed-' || i || '@aster.example', 1, 1 from n`,
      `insert into memberships (company_id, user_id, state, state_reason, state_at, created_at)
       select ${company}, id, 'allowed', 'scim', 1, 1 from users where email like 'listed-%'`,
      `insert into scim_users (company_id, user_id, user_name, user_name_key, external_id, attributes, revision, created_at, updated_at)
       select company_id, user_id, 'listed-' || user_id, 'listed-' || user_id, 'external-listed-' || user_id, '{}', 'r', 1, 1
       from memberships where company_id = ${company}`,
    ].map((text) => d1.prepare(text)),
  );
}

const isOutbox = ({ name }: Entry) => name.startsWith('insert into "action_deliveries"');

/** Prints the cost of a user's requests and filters, in the company with the long list. */
async function measureRequests({ call }: Directory, meters: Meters): Promise<void> {
  const rows: (string | number)[][] = [];
  const measure = async (name: string, ...request: Parameters<Directory["call"]>): Promise<Body> => {
    await meters.takeNow();
    const body = await call(...request);
    const entries = (await meters.takeNow()).get(WORKER) ?? [];
    const all = sumOf(entries, "statement");
    const outbox = sumOf(entries.filter(isOutbox), "statement");
    const trips = sumOf(entries, "round trip").calls;
    rows.push([name, trips, all.written, all.written - outbox.written, all.read, all.read - outbox.read]);
    return body;
  };
  // The first request verifies the token in a separate round trip and stores the time of use.
  await call("GET", "/ServiceProviderConfig");
  await pause(1000);
  const user = newUser("measured");
  const { id } = await measure("create", "POST", "/Users", user);
  await measure("get", "GET", `/Users/${id}`);
  await measure("patch (name)", "PATCH", `/Users/${id}`, replace("name.familyName", "Roux"));
  await measure("patch (active)", "PATCH", `/Users/${id}`, replace("active", false));
  for (const filter of [
    `userName eq "${user.userName}"`,
    `externalId eq "${user.externalId}"`,
    `emails.value eq "${user.userName}"`,
  ]) {
    const name = filter.replace(/ ".*/, "");
    const results = await measure(name, "GET", `/Users?filter=${encodeURIComponent(filter)}`);
    requireEqual(`users found by ${name}`, results.totalResults, 1);
  }
  console.log(`\nRequests of a directory with ${listedUsers + 1} users\n`);
  printTable([["", "D1 trips", "written", "without outbox", "read", "without outbox"], ...rows]);
}

/** Reads all pages in order, and prints the largest number of rows that a page read. */
async function walk({ call }: Directory, meters: Meters): Promise<void> {
  const total = listedUsers + 1;
  const ids = new Set<string>();
  let most = { read: 0, start: 0 };
  await meters.takeNow();
  const startedAt = performance.now();
  for (let start = 1; start <= total; start += PAGE) {
    const page = await call("GET", `/Users?startIndex=${start}&count=${PAGE}`);
    const { read } = sumOf((await meters.takeNow()).get(WORKER) ?? [], "statement");
    if (read > most.read) most = { read, start };
    requireEqual(`total of the page from ${start}`, page.totalResults, total);
    for (const { id } of page.Resources ?? []) ids.add(id);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  requireEqual("users on all pages", ids.size, total);
  console.log(`\nAll pages of ${total} users in ${seconds} s: at most ${most.read} rows read, from ${most.start}`);
}

/** Runs tasks in order, at most one per connection at a time. */
async function runTasks<T, R>(tasks: T[], run: (task: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(tasks.length);
  const queue = tasks.entries();
  const work = async () => {
    for (const [index, task] of queue) results[index] = await run(task);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return results;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Creates users and groups, verifies that none is lost, and prints the rate. */
async function sync(runtime: Runtime, { call, waits }: Directory): Promise<void> {
  const startedAt = performance.now();
  const secondsFrom = (start: number) => (performance.now() - start) / 1000;
  const userIds = await runTasks(numbers(syncedUsers), async (index) =>
    String((await call("POST", "/Users", newUser(index))).id),
  );
  const userSeconds = secondsFrom(startedAt);
  const groupIds = await runTasks(numbers(syncedGroups), async (index) =>
    String((await call("POST", "/Groups", { displayName: `Group ${index}`, members: [] })).id),
  );
  const groups = groupIds.map((id, index) => ({
    id,
    members: numbers(groupSize).map((at) => String(userIds[(index * 97 + at) % syncedUsers])),
  }));
  // The lots of a group follow each other, so that the connections change the same group at the same time.
  const memberBatches = groups.flatMap(({ id, members }) =>
    numbers(Math.ceil(groupSize / USERS_PER_REQUEST)).map((index) => ({
      id,
      members: members.slice(index * USERS_PER_REQUEST, (index + 1) * USERS_PER_REQUEST),
    })),
  );
  await runTasks(memberBatches, async ({ id, members }) => {
    const value = members.map((member) => ({ value: member }));
    await call("PATCH", `/Groups/${id}`, { Operations: [{ op: "add", path: "members", value }] });
  });
  const seconds = secondsFrom(startedAt);
  const requests = syncedUsers + syncedGroups + memberBatches.length;
  const limited = waits();

  requireEqual("users", (await call("GET", "/Users?count=0")).totalResults, syncedUsers);
  requireEqual("groups", (await call("GET", "/Groups?count=0")).totalResults, syncedGroups);
  requireEqual("different users", new Set(userIds).size, syncedUsers);
  const d1 = await runtime.database("DB", WORKER);
  const { results } = await d1.prepare("select id, user_count from groups").all<{ id: string; user_count: number }>();
  const countOf = new Map(results.map(({ id, user_count }) => [id, user_count]));
  await runTasks(groups, async ({ id, members }) => {
    const listed = new Set(((await call("GET", `/Groups/${id}`)).members ?? []).map(({ value }) => value));
    requireEqual(`members of group ${id}`, listed.size, groupSize);
    requireEqual(`known members of group ${id}`, members.filter((member) => listed.has(member)).length, groupSize);
    requireEqual(`user count of group ${id}`, countOf.get(id), groupSize);
  });
  console.log(
    `\nInitial sync of ${syncedUsers} users and ${syncedGroups} groups of ${groupSize}, ${CONNECTIONS} connections\n`,
  );
  printTable([
    ["", "requests", "time", "requests/s"],
    ["users", syncedUsers, `${userSeconds.toFixed(1)} s`, (syncedUsers / userSeconds).toFixed(1)],
    ["users and groups", requests, `${seconds.toFixed(1)} s`, (requests / seconds).toFixed(1)],
  ]);
  console.log(`\nNothing is lost. ${limited} requests were rejected with 429 and repeated after Retry-After`);
}

const secrets = await makeSecrets();

async function storeSeed(runtime: Runtime): Promise<void> {
  const d1 = await runtime.database("DB", WORKER);
  const seed = await seedStatements({
    ...demo,
    origins: [new URL(redirectTo).origin],
    serviceKeys: serviceKeysOf(secrets),
  });
  await d1.batch(seed.identity.map((text) => d1.prepare(text)));
}

const derived = portSettings({ port: 5173, smtpPort: 1, shellPort: null });
const settings = { ...changeableSettings.identity, ...secrets.identity, ...derived.identity };
const worker = await serviceWorker("identity", { settings, isMetered: true, services: { EMAIL: "mail-sink" } });
const sink = await benchWorker("mail-sink", "mail-sink/worker.ts");

// Without the consumer of the queue, the meters count no deliveries of events, only the requests that cause them.
await withRuntime([{ ...worker, queueConsumers: {} }, sink], ["identity"], async (runtime) => {
  await storeSeed(runtime);
  await storeListedUsers(runtime);
  const meters = await openMeters(runtime, [WORKER]);
  const directory = await openDirectory(runtime, companies.listed);
  await measureRequests(directory, meters);
  await walk(directory, meters);
});
await withRuntime([worker, sink], ["identity"], async (runtime) => {
  await storeSeed(runtime);
  await sync(runtime, await openDirectory(runtime, companies.synced));
});
