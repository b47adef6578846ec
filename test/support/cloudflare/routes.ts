import { randomUUID } from "node:crypto";
import { openDatabase, Refusal, type Script, type State } from "./state.ts";
import { createDeployment, createVersion, patchSecrets, putScript, readForm, scriptOf } from "./workers-api.ts";

export type Call = {
  url: URL;
  json: Record<string, unknown> & unknown[];
  form: () => Promise<FormData>;
  token: string;
};
type Handler = (state: State, call: Call, ...parts: string[]) => unknown;

const shown = ({ db: _, ...database }: State["databases"][number]) => database;

/** Runs SQL like D1: the statements of one call are one transaction. Returns the rows of the last statement. */
function runSql(state: State, id: string, sql: string): object[] {
  const database = state.databases.find(({ uuid }) => uuid === id);
  if (database === undefined) throw new Refusal(404, 7404, "The database does not exist.");
  const { db } = database;
  const text = sql.trim().replace(/;$/, "");
  const last = /(?:^|;\s*)(SELECT\b[^;]*)$/i.exec(text)?.[1];
  const before = last === undefined ? text : text.slice(0, text.length - last.length);
  db.exec("BEGIN");
  try {
    if (before.trim() !== "") db.exec(before);
    const results = last === undefined ? [] : db.prepare(last).all();
    db.exec("COMMIT");
    return [{ results, success: true, meta: {} }];
  } catch (error) {
    db.exec("ROLLBACK");
    throw new Refusal(400, 7500, error instanceof Error ? error.message : String(error));
  }
}

function createDatabase(state: State, { json }: Call) {
  const name = String(json.name);
  if (state.databases.some((database) => database.name === name)) {
    throw new Refusal(400, 7502, "A database with that name already exists");
  }
  const database = { uuid: randomUUID(), name, db: openDatabase() };
  state.databases.push(database);
  return shown(database);
}

function createQueue(state: State, { json }: Call) {
  const queue_name = String(json.queue_name);
  if (state.queues.some((queue) => queue.queue_name === queue_name)) {
    throw new Refusal(409, 11009, "Queue name is already taken. Please choose another name.");
  }
  const queue = { queue_id: randomUUID().replaceAll("-", ""), queue_name, consumers: [] };
  state.queues.push(queue);
  return queue;
}

function queueOf(state: State, id: string) {
  const queue = state.queues.find(({ queue_id }) => queue_id === id);
  if (queue === undefined) throw new Refusal(404, 11000, "Queue not found");
  return queue;
}

function setConsumer(state: State, { json }: Call, queueId: string, consumerId?: string) {
  const queue = queueOf(state, queueId);
  const script_name = String(json.script_name);
  scriptOf(state, script_name);
  const dead = json.dead_letter_queue as string | undefined;
  if (dead !== undefined && !state.queues.some(({ queue_name }) => queue_name === dead)) {
    throw new Refusal(400, 11003, `Dead letter queue ${dead} not found`);
  }
  const existing = queue.consumers.find(({ consumer_id }) => consumer_id === consumerId);
  if (consumerId === undefined && queue.consumers.length > 0) {
    throw new Refusal(409, 11004, "Queue already has a consumer");
  }
  const consumer = {
    consumer_id: existing?.consumer_id ?? randomUUID().replaceAll("-", ""),
    script_name,
    ...(dead !== undefined && { dead_letter_queue: dead }),
    settings: json.settings as Record<string, number>,
  };
  queue.consumers = [consumer];
  return consumer;
}

function openAssetSession(state: State, { json }: Call) {
  const hashes = Object.values(json.manifest as Record<string, { hash: string }>).map(({ hash }) => hash);
  const missing = [...new Set(hashes.filter((hash) => !state.assets.has(hash)))];
  const jwt = randomUUID();
  // Without missing files, the first token already attaches the assets.
  state.assets.set(missing.length === 0 ? `jwt ${jwt}` : `session ${jwt}`, "");
  return { jwt, buckets: missing.length === 0 ? [] : [missing] };
}

async function uploadAssets(state: State, { form, token }: Call) {
  if (!state.assets.has(`session ${token}`)) throw new Refusal(401, 10000, "Authentication error");
  for (const [hash, file] of await form()) if (file instanceof File) state.assets.set(hash, await file.text());
  const jwt = randomUUID();
  state.assets.set(`jwt ${jwt}`, "");
  return { jwt };
}

function attachDomain(state: State, { json }: Call) {
  const { hostname, service, zone_id } = json as unknown as Record<string, string>;
  const host = String(hostname);
  scriptOf(state, String(service));
  if (zone_id !== state.zone.id || !(host === state.zone.name || host.endsWith(`.${state.zone.name}`))) {
    throw new Refusal(400, 100115, `${host} is not in the zone`);
  }
  if (state.dns.some(({ name }) => name === host)) {
    throw new Refusal(409, 100117, "Hostname already has externally managed DNS records (A, CNAME, etc).");
  }
  const domain = {
    id: randomUUID(),
    cert_id: randomUUID(),
    environment: "production",
    hostname: host,
    service: String(service),
    zone_id: state.zone.id,
    zone_name: state.zone.name,
  };
  state.domains = [...state.domains.filter(({ hostname: other }) => other !== host), domain];
  return domain;
}

function addRoute(state: State, { json }: Call) {
  const [pattern, script] = [String(json.pattern), String(json.script)];
  scriptOf(state, script);
  if (state.routes.some((route) => route.pattern === pattern)) {
    throw new Refusal(409, 10020, "A route with the same pattern already exists.");
  }
  const route = { id: randomUUID(), pattern, script };
  state.routes.push(route);
  return route;
}

function addDnsRecord(state: State, { json }: Call) {
  const { name, type, content } = json as unknown as Record<"name" | "type" | "content", string>;
  if (state.dns.some((record) => record.name === name && record.type === type)) {
    throw new Refusal(400, 81058, "An identical record already exists.");
  }
  const record = { id: randomUUID(), name, type, content, proxied: json.proxied === true };
  state.dns.push(record);
  return record;
}

function addSendingDomain(state: State, { json }: Call) {
  const name = String(json.name);
  if (state.sendingDomains.some((domain) => domain.name === name)) {
    throw new Refusal(409, 2008, "The subdomain already exists.");
  }
  const domain = { id: randomUUID(), name, enabled: true };
  state.sendingDomains.push(domain);
  return domain;
}

function addSubscription(state: State, { json }: Call) {
  const { name, enabled, source, events, destination } = json as unknown as Omit<State["subscriptions"][number], "id">;
  queueOf(state, destination.queue_id);
  if (state.subscriptions.some((entry) => entry.name === name)) {
    throw new Refusal(409, 10040, "A subscription with this name already exists.");
  }
  if (source.zone_id !== state.zone.id || !state.sendingDomains.some((domain) => domain.name === source.domain)) {
    throw new Refusal(400, 10041, "The source is not a sending domain of the zone.");
  }
  const subscription = { id: randomUUID(), name, enabled, source, events, destination };
  state.subscriptions.push(subscription);
  return subscription;
}

const scriptList = (state: State) =>
  [...state.scripts.values()].map(({ name, migrationTag }) => ({
    id: name,
    ...(migrationTag !== undefined && { migration_tag: migrationTag }),
  }));

function versionOf(state: State, name: string, id: string) {
  const version = scriptOf(state, name).versions.find((entry) => entry.id === id);
  if (version === undefined) throw new Refusal(404, 10222, "The version does not exist.");
  const { annotations, bindings } = version.metadata;
  return { id, number: 1, metadata: {}, annotations, resources: { bindings } };
}

function setCrons(state: State, { json }: Call, name: string) {
  const crons = (json as unknown as { cron: string }[]).map(({ cron }) => cron);
  scriptOf(state, name).crons = crons;
  return { schedules: crons.map((cron) => ({ cron })) };
}

function patchScript(state: State, { json }: Call, name: string) {
  const script: Script = scriptOf(state, name);
  script.observability = json.observability;
  return {};
}

/** Removes the entry with an id. Throws if there is none. */
function removeFrom<T>(list: T[], isWanted: (entry: T) => boolean): null {
  const index = list.findIndex(isWanted);
  if (index < 0) throw new Refusal(404, 7003, "Not found");
  list.splice(index, 1);
  return null;
}

function deleteScript(state: State, { url }: Call, name: string) {
  scriptOf(state, name);
  const isUsed = state.queues.some(({ consumers }) => consumers.some(({ script_name }) => script_name === name));
  if (isUsed) throw new Refusal(400, 10064, "The Worker is a consumer of a queue.");
  if (url.searchParams.get("force") !== "true") throw new Refusal(400, 10013, "Other Workers bind this Worker.");
  state.scripts.delete(name);
  return null;
}

function deleteBucket(state: State, _call: Call, name: string) {
  if (state.objects.has(name)) throw new Refusal(409, 10008, "The bucket you tried to delete is not empty.");
  return removeFrom(state.buckets, (bucket) => bucket === name);
}

function deleteQueue(state: State, _call: Call, id: string) {
  if (queueOf(state, id).consumers.length > 0) throw new Refusal(400, 11005, "The queue has a consumer.");
  return removeFrom(state.queues, ({ queue_id }) => queue_id === id);
}

function listDns(state: State, { url }: Call) {
  const [name, type] = [url.searchParams.get("name"), url.searchParams.get("type")];
  return state.dns.filter((record) => record.name === name && (type === null || record.type === type));
}

/** The calls that the stand-in knows: method, path below the base URL, and what they do. */
export const routes: readonly [string, RegExp, Handler][] = [
  ["GET", /^\/accounts$/, (state) => [state.account]],
  ["GET", /^\/zones$/, (state) => [state.zone]],
  ["GET", /^\/accounts\/\w+\/d1\/database$/, (state) => state.databases.map(shown)],
  ["POST", /^\/accounts\/\w+\/d1\/database$/, createDatabase],
  [
    "POST",
    /^\/accounts\/\w+\/d1\/database\/([\w-]+)\/query$/,
    (state, { json }, id = "") => runSql(state, id, String(json.sql)),
  ],
  ["GET", /^\/accounts\/\w+\/r2\/buckets$/, (state) => ({ buckets: state.buckets.map((name) => ({ name })) })],
  [
    "POST",
    /^\/accounts\/\w+\/r2\/buckets$/,
    (state, { json }) => {
      const name = String(json.name);
      if (state.buckets.includes(name)) {
        throw new Refusal(409, 10004, "The bucket you tried to create already exists, and you own it.");
      }
      state.buckets.push(name);
      return { name };
    },
  ],
  ["GET", /^\/accounts\/\w+\/queues$/, (state) => state.queues],
  ["GET", /^\/accounts\/\w+\/queues\/(\w+)$/, (state, _call, id = "") => queueOf(state, id)],
  ["POST", /^\/accounts\/\w+\/queues$/, createQueue],
  ["POST", /^\/accounts\/\w+\/queues\/(\w+)\/consumers$/, setConsumer as Handler],
  ["PUT", /^\/accounts\/\w+\/queues\/(\w+)\/consumers\/(\w+)$/, setConsumer as Handler],
  ["GET", /^\/accounts\/\w+\/workers\/scripts$/, scriptList],
  [
    "PUT",
    /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)$/,
    async (state, { form }, name = "") => putScript(state, name, await readForm(await form())),
  ],
  [
    "POST",
    /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/versions$/,
    async (state, { form }, name = "") => createVersion(state, name, await readForm(await form())),
  ],
  [
    "GET",
    /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/versions\/([\w-]+)$/,
    (state, _call, name = "", id = "") => versionOf(state, name, id),
  ],
  [
    "GET",
    /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/deployments$/,
    (state, _call, name = "") => ({ deployments: scriptOf(state, name).deployments }),
  ],
  [
    "POST",
    /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/deployments$/,
    (state, { json }, name = "") => createDeployment(state, name, json as never),
  ],
  [
    "GET",
    /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/secrets$/,
    (state, _call, name = "") =>
      [...scriptOf(state, name).secrets.keys()].map((secret) => ({ name: secret, type: "secret_text" })),
  ],
  [
    "PATCH",
    /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/secrets-bulk$/,
    (state, { json }, name = "") => patchSecrets(scriptOf(state, name), json as never),
  ],
  [
    "GET",
    /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/schedules$/,
    (state, _call, name = "") => ({ schedules: scriptOf(state, name).crons.map((cron) => ({ cron })) }),
  ],
  ["PUT", /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/schedules$/, setCrons as Handler],
  ["PATCH", /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/script-settings$/, patchScript as Handler],
  ["POST", /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)\/assets-upload-session$/, openAssetSession],
  ["POST", /^\/accounts\/\w+\/workers\/assets\/upload$/, uploadAssets],
  ["GET", /^\/accounts\/\w+\/workers\/domains$/, (state) => state.domains],
  ["PUT", /^\/accounts\/\w+\/workers\/domains$/, attachDomain],
  ["GET", /^\/zones\/\w+\/workers\/routes$/, (state) => state.routes],
  ["POST", /^\/zones\/\w+\/workers\/routes$/, addRoute],
  ["GET", /^\/zones\/\w+\/dns_records$/, listDns],
  ["POST", /^\/zones\/\w+\/dns_records$/, addDnsRecord],
  ["GET", /^\/zones\/\w+\/email\/sending\/subdomains$/, (state) => state.sendingDomains],
  ["POST", /^\/zones\/\w+\/email\/sending\/subdomains$/, addSendingDomain],
  ["GET", /^\/accounts\/\w+\/event_subscriptions\/subscriptions$/, (state) => state.subscriptions],
  ["POST", /^\/accounts\/\w+\/event_subscriptions\/subscriptions$/, addSubscription],
  [
    "DELETE",
    /^\/accounts\/\w+\/event_subscriptions\/subscriptions\/([\w-]+)$/,
    (state, _call, id = "") => removeFrom(state.subscriptions, (subscription) => subscription.id === id),
  ],
  ["DELETE", /^\/accounts\/\w+\/workers\/scripts\/([\w-]+)$/, deleteScript as Handler],
  ["DELETE", /^\/accounts\/\w+\/r2\/buckets\/([\w-]+)$/, deleteBucket as Handler],
  ["DELETE", /^\/accounts\/\w+\/queues\/(\w+)$/, deleteQueue as Handler],
  [
    "DELETE",
    /^\/accounts\/\w+\/queues\/(\w+)\/consumers\/(\w+)$/,
    (state, _call, queue = "", id = "") =>
      removeFrom(queueOf(state, queue).consumers, ({ consumer_id }) => consumer_id === id),
  ],
  [
    "DELETE",
    /^\/accounts\/\w+\/d1\/database\/([\w-]+)$/,
    (state, _call, id = "") => removeFrom(state.databases, ({ uuid }) => uuid === id),
  ],
  [
    "DELETE",
    /^\/accounts\/\w+\/workers\/domains\/([\w-]+)$/,
    (state, _call, id = "") => removeFrom(state.domains, (domain) => domain.id === id),
  ],
  [
    "DELETE",
    /^\/zones\/\w+\/workers\/routes\/([\w-]+)$/,
    (state, _call, id = "") => removeFrom(state.routes, (route) => route.id === id),
  ],
  [
    "DELETE",
    /^\/zones\/\w+\/dns_records\/([\w-]+)$/,
    (state, _call, id = "") => removeFrom(state.dns, (record) => record.id === id),
  ],
];
