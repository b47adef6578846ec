import { createHash } from "node:crypto";
import type { Script, State, Version } from "./state.ts";

/** `body`: a list is sent as JSON lines. */
type Reply = { status: number; body: unknown };

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const short = (value: string | Buffer): string => createHash("sha256").update(value).digest("hex").slice(0, 8);

/** Returns the fingerprints of the keys of a version, as its service shows them. */
function fingerprints(secrets: ReadonlyMap<string, string>): Record<string, string> {
  const texts = ["SECRET_KEY", "JWT_PRIVATE_KEY"].map((name) => [name, secrets.get(name)?.replaceAll("\\n", "\n")]);
  const bytes = [
    ...["ACTIONS_ENCRYPTION_KEY", "EMAIL_VARIABLES_KEY", "EMAIL_CREDENTIALS_KEY"],
    ...["EMAIL_HASH_PEPPER", "STORAGE_SIGNING_KEY"],
  ].map((name) => [name, secrets.get(name)] as const);
  return Object.fromEntries([
    ...texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, short(text)]])),
    ...bytes.flatMap(([name, text]) => (text === undefined ? [] : [[name, short(Buffer.from(text, "base64"))]])),
  ]);
}

/** Returns the database of a Worker. */
export function databaseOf(state: State, script: Script) {
  const id = script.versions.at(-1)?.metadata.bindings?.find(({ type }) => type === "d1")?.id;
  return state.databases.find(({ uuid }) => uuid === id)?.db;
}

/** Returns the Workers whose key the email database of their deployment does not know. */
export function unknownServiceKeys(state: State): string[] {
  return [...state.scripts.values()].flatMap(({ name, secrets }) => {
    const key = secrets.get("EMAIL_SERVICE_API_KEY");
    if (key === undefined) return [];
    const email = state.databases.find((database) => database.name === name.replace(/[a-z]+$/, "email"));
    const row = email?.db.prepare("SELECT 1 FROM service_clients WHERE key_hash = ?").get(sha256(key));
    return row === undefined ? [name] : [];
  });
}

/** Finds the Worker that answers for a host and path. The edge passes the paths of services on. */
function findScript(state: State, host: string, path: string): { script: Script | undefined; rest: string } {
  const service = state.domains.find(({ hostname }) => hostname === host)?.service;
  if (service === undefined || !service.endsWith("-edge"))
    return { script: state.scripts.get(service ?? ""), rest: path };
  const [, prefix = ""] = path.split("/");
  const name = service.replace(/edge$/, prefix);
  return { script: state.scripts.get(name), rest: path.slice(prefix.length + 1) };
}

/** The version that answers: the one that the request overrides with if it is deployed, or the one that gets most requests. */
function answering(script: Script, overrides: string): Version | undefined {
  const deployed = script.deployments[0]?.versions ?? [];
  const wanted = new RegExp(`(?:^|,\\s*)${script.name}="([^"]*)"`).exec(overrides)?.[1];
  const [most] = deployed.toSorted((a, b) => b.percentage - a.percentage);
  const { version_id } = deployed.find((entry) => entry.version_id === wanted) ?? most ?? {};
  return script.versions.find(({ id }) => id === version_id);
}

/** Returns whether a version is one of those that report that they are not healthy: by the Worker, or by a part of its code. */
const isUnhealthy = (unhealthy: ReadonlySet<string>, { name }: Script, { modules }: Version): boolean =>
  [...unhealthy].some((entry) => entry === name || Object.values(modules).some((code) => code.includes(entry)));

/** Answers a public request to `https://<host><path>` as far as the deployment needs it. */
export function answerPublic(
  state: State,
  unhealthy: ReadonlySet<string>,
  host: string,
  path: string,
  { authorization, overrides, body }: { authorization: string; overrides: string; body: string },
): Reply {
  const { script, rest } = findScript(state, host, path);
  if (script === undefined) return { status: 530, body: "error code: 1016" };
  // A placeholder has no tag.
  const version = answering(script, overrides);
  if (version?.metadata.annotations?.["workers/tag"] === undefined) return { status: 503, body: "" };
  if (rest === "/api/v1/health") {
    return isUnhealthy(unhealthy, script, version)
      ? { status: 503, body: { status: "unhealthy" } }
      : { status: 200, body: { status: "ok" } };
  }
  if (rest === "/api/v1/management/create_sign_in_link") {
    if (authorization !== `Bearer ${version.secrets.get("OPERATOR_KEY")}`) return { status: 401, body: {} };
    return { status: 200, body: { type: "result", line: `https://${host}/sign-in/one-time`, counts: {}, run_id: 1 } };
  }
  if (rest === "/api/v1/management/reencrypt") {
    if (authorization !== `Bearer ${version.secrets.get("OPERATOR_KEY")}`) return { status: 401, body: {} };
    const counts = state.reencryptions.shift() ?? { rows: 0, remaining: 0, complete: true };
    return { status: 200, body: { type: "result", exit_code: 0, line: "reencrypt", run_id: null, counts } };
  }
  if (rest === "/api/v1/management/describe_backup") {
    if (authorization !== `Bearer ${version.secrets.get("OPERATOR_KEY")}`) return { status: 401, body: {} };
    const result = { type: "result", exit_code: 0, line: "describe_backup", run_id: null, counts: {} };
    return { status: 200, body: [{ type: "rows", rows: [{ keys: fingerprints(version.secrets) }] }, result] };
  }
  if (rest === "/api/v1/magic-link/request") return requestLink(state, script, JSON.parse(body));
  return { status: 404, body: {} };
}

function requestLink(
  state: State,
  script: Script,
  { email, redirect_to }: { email: string; redirect_to: string },
): Reply {
  const db = databaseOf(state, script);
  const user = db?.prepare("SELECT 1 FROM users WHERE email = ?").get(email);
  const origin = db?.prepare("SELECT 1 FROM oauth_redirects WHERE base_url = ?").get(new URL(redirect_to).origin);
  if (origin === undefined) return { status: 400, body: { error_code: "redirect_not_allowed" } };
  if (user === undefined || unknownServiceKeys(state).length > 0) return { status: 503, body: {} };
  return { status: 200, body: { ok: true, message: "" } };
}
