import { createHash } from "node:crypto";
import type { Script, State } from "./state.ts";

type Reply = { status: number; body: unknown };

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

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

/** The version that gets the requests, or the newest of several. */
const currentTag = (script: Script): string | undefined => {
  const id = script.deployments[0]?.versions[0]?.version_id;
  return script.versions.find((version) => version.id === id)?.metadata.annotations?.["workers/tag"];
};

/** Answers a public request to `https://<host><path>` as far as the deployment needs it. */
export function answerPublic(
  state: State,
  unhealthy: ReadonlySet<string>,
  host: string,
  path: string,
  { authorization, body }: { authorization: string; body: string },
): Reply {
  const { script, rest } = findScript(state, host, path);
  if (script === undefined) return { status: 530, body: "error code: 1016" };
  // A placeholder has no tag.
  if (currentTag(script) === undefined) return { status: 503, body: "" };
  if (rest === "/api/v1/health") {
    return unhealthy.has(script.name)
      ? { status: 503, body: { status: "unhealthy" } }
      : { status: 200, body: { status: "ok" } };
  }
  if (rest === "/api/v1/management/create_sign_in_link") {
    if (authorization !== `Bearer ${script.secrets.get("OPERATOR_KEY")}`) return { status: 401, body: {} };
    return { status: 200, body: { type: "result", line: `https://${host}/sign-in/one-time`, counts: {}, run_id: 1 } };
  }
  if (rest === "/api/v1/management/reencrypt") {
    if (authorization !== `Bearer ${script.secrets.get("OPERATOR_KEY")}`) return { status: 401, body: {} };
    const counts = state.reencryptions.shift() ?? { rows: 0, remaining: 0, complete: true };
    return { status: 200, body: { type: "result", exit_code: 0, line: "reencrypt", run_id: null, counts } };
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
