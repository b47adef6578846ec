import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Metadata, Refusal, type Script, type State, type Version } from "./state.ts";

const notFound = () => new Refusal(404, 10007, "This Worker does not exist on your account.");

export function scriptOf(state: State, name: string): Script {
  const script = state.scripts.get(name);
  if (script === undefined) throw notFound();
  return script;
}

/** Returns whether a Worker has the entrypoint. */
const exportsEntrypoint = (script: Script, name: string): boolean =>
  Object.values(script.versions.at(-1)?.modules ?? {}).some((text) => text.includes(name));

/** Throws if a binding names something that the account does not have, as Cloudflare does. */
function checkBindings(state: State, script: Script, metadata: Metadata): void {
  for (const binding of metadata.bindings ?? []) {
    const reject = (code: number, text: string): never => {
      throw new Refusal(400, code, `binding ${binding.name}: ${text}`);
    };
    if (binding.type === "d1" && !state.databases.some(({ uuid }) => uuid === binding.id)) {
      reject(10021, `binding ${binding.name} of type d1 must have a valid \`id\` specified`);
    }
    if (binding.type === "r2_bucket" && !state.buckets.includes(String(binding.bucket_name))) {
      reject(10085, `R2 bucket '${binding.bucket_name}' not found`);
    }
    if (binding.type === "queue" && !state.queues.some(({ queue_name }) => queue_name === binding.queue_name)) {
      reject(11000, `Queue '${binding.queue_name}' not found`);
    }
    if (binding.type === "service") {
      const target = state.scripts.get(String(binding.service));
      if (target === undefined) reject(10143, `Target script '${binding.service}' not found`);
      const { entrypoint } = binding;
      if (typeof entrypoint === "string" && target !== undefined && !exportsEntrypoint(target, entrypoint)) {
        reject(10144, `'${binding.service}' has no entrypoint '${entrypoint}'`);
      }
    }
    if (binding.type === "durable_object_namespace" && !script.classes.has(String(binding.class_name))) {
      reject(10061, `class '${binding.class_name}' has no migration`);
    }
    if (binding.type === "assets" && !state.assets.has(`jwt ${metadata.assets?.jwt}`)) {
      reject(10021, "assets were not uploaded");
    }
  }
}

function migrate(script: Script, migrations: Metadata["migrations"]): void {
  if (migrations === undefined) return;
  if (migrations.old_tag !== script.migrationTag) {
    throw new Refusal(412, 10079, "The migration tag does not match the tag of the Worker.");
  }
  for (const { new_sqlite_classes = [] } of migrations.steps) {
    for (const name of new_sqlite_classes) {
      if (script.classes.has(name)) throw new Refusal(400, 10074, `The class ${name} exists already.`);
      script.classes.add(name);
    }
  }
  script.migrationTag = migrations.new_tag;
}

export async function readForm(form: FormData): Promise<{ metadata: Metadata; modules: Record<string, string> }> {
  const metadata = JSON.parse(String(form.get("metadata"))) as Metadata;
  const modules: Record<string, string> = {};
  for (const [name, value] of form) if (value instanceof File) modules[name] = await value.text();
  if (modules[metadata.main_module] === undefined)
    throw new Refusal(400, 10021, "main_module is no module of the upload");
  return { metadata, modules };
}

type UploadedForm = Awaited<ReturnType<typeof readForm>>;

function addVersion(script: Script, { metadata, modules }: UploadedForm): Version {
  for (const { type, name, text } of metadata.bindings ?? []) {
    if (type === "secret_text") script.secrets.set(name, String(text));
  }
  // A secret is never readable again.
  const bindings = (metadata.bindings ?? []).filter(({ type }) => type !== "secret_text");
  const version = { id: randomUUID(), metadata: { ...metadata, bindings }, modules, secrets: new Map(script.secrets) };
  script.versions.push(version);
  return version;
}

function addDeployment(
  script: Script,
  versions: Script["deployments"][number]["versions"],
  message: string | undefined,
): void {
  script.deployments.unshift({
    id: randomUUID(),
    created_on: new Date().toISOString(),
    source: "api",
    strategy: "percentage",
    versions,
    ...(message === undefined ? {} : { annotations: { "workers/message": message } }),
  });
}

/** Stores and removes secrets in a new version, which gets all requests at once. */
export function patchSecrets(
  script: Script,
  { secrets }: { secrets: Record<string, { text: string } | null> },
): object {
  const [latest] = script.versions.slice(-1);
  if (latest === undefined) throw new Refusal(404, 10007, "This Worker does not exist on your account.");
  for (const [name, secret] of Object.entries(secrets)) {
    if (secret === null) script.secrets.delete(name);
    else script.secrets.set(name, secret.text);
  }
  const version = { ...latest, id: randomUUID(), secrets: new Map(script.secrets) };
  script.versions.push(version);
  addDeployment(script, [{ version_id: version.id, percentage: 100 }], undefined);
  return [...script.secrets.keys()].map((name) => ({ name, type: "secret_text" }));
}

/** Uploads a Worker and deploys it at once. */
export function putScript(state: State, name: string, upload: UploadedForm): object {
  const script: Script = state.scripts.get(name) ?? {
    name,
    versions: [],
    deployments: [],
    migrationTag: undefined,
    classes: new Set(),
    secrets: new Map(),
    crons: [],
    observability: undefined,
  };
  const draft = { ...script, classes: new Set(script.classes) };
  migrate(draft, upload.metadata.migrations);
  checkBindings(state, draft, upload.metadata);
  Object.assign(script, { classes: draft.classes, migrationTag: draft.migrationTag });
  state.scripts.set(name, script);
  const version = addVersion(script, upload);
  addDeployment(
    script,
    [{ version_id: version.id, percentage: 100 }],
    upload.metadata.annotations?.["workers/message"],
  );
  return { id: name, deployment_id: version.id.replaceAll("-", ""), startup_time_ms: 12 };
}

/** Uploads a version that gets no requests. */
export function createVersion(state: State, name: string, upload: UploadedForm): object {
  const script = scriptOf(state, name);
  if (upload.metadata.migrations !== undefined) {
    throw new Refusal(400, 10211, "A version cannot contain a migration of Durable Objects.");
  }
  checkBindings(state, script, upload.metadata);
  const version = addVersion(script, upload);
  return { id: version.id, number: script.versions.length, startup_time_ms: 12, resources: {}, metadata: {} };
}

type DeploymentBody = {
  versions: { version_id: string; percentage: number }[];
  annotations?: Record<string, string>;
};

/** Splits the requests between versions. */
export function createDeployment(state: State, name: string, { versions, annotations }: DeploymentBody): object {
  const script = scriptOf(state, name);
  const sum = versions.reduce((total, { percentage }) => total + percentage, 0);
  if (sum !== 100 || versions.length > 2) throw new Refusal(400, 10223, "The percentages must add up to 100.");
  const running = script.deployments[0]?.versions.map((entry) => entry.version_id) ?? [];
  const current = script.versions.find(({ id }) => id === running[0]);
  for (const { version_id } of versions) {
    const version = script.versions.find(({ id }) => id === version_id);
    if (version === undefined) throw new Refusal(404, 10222, `The version ${version_id} does not exist.`);
    const isOlder = current !== undefined && script.versions.indexOf(version) < script.versions.indexOf(current);
    if (isOlder && !running.includes(version_id) && !isDeepStrictEqual(version.secrets, current.secrets)) {
      throw new Refusal(400, 10220, `Secrets have changed since the version ${version_id} was deployed.`);
    }
  }
  addDeployment(script, versions, annotations?.["workers/message"]);
  return script.deployments[0] ?? {};
}
