import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runScript } from "../processes/children.ts";
import { isShellCurrent, repository } from "../shell/current.ts";
import { buildExamples, builtSdk, exampleSources } from "./build.ts";
import { deployExamples, type ExampleUrls } from "./deploy.ts";

/** What an earlier start deployed: the digest of the sources, and the addresses. */
type Deployed = { digest: string; urls: ExampleUrls };

type Options = {
  /** folder for the builds and the record; deleted with the databases */
  folder: string;
  /** base URL of the platform */
  url: string;
  /** the key of identity's management commands */
  operatorKey: string;
};

/** The user that deploys the examples, a member of company 1. */
const DEPLOYER = "staff@example.com";
/** Changes within this time are one edit. */
const EDIT_MS = 200;

/**
 * Returns the addresses of the example applications. Builds and deploys them when their sources, the library or the address of the
 * platform changed since the last start; otherwise it calls no service. `isReady` resolves when the services respond.
 */
export async function provideExamples(options: Options, isReady: Promise<unknown>): Promise<ExampleUrls> {
  const { folder, url } = options;
  if (!isShellCurrent()) await runScript("scripts/build-shell.ts", ["--if-older"]);
  const record = join(folder, "deployed.json");
  const digest = digestOf(url);
  const earlier = readRecord(record);
  if (earlier?.digest === digest) return earlier.urls;
  await Promise.all([buildExamples(join(folder, "apps"), url), isReady]);
  const session = await signIn(options);
  try {
    const urls = await deployExamples(join(folder, "apps"), { url, token: session.access_token });
    writeFileSync(record, JSON.stringify({ digest, urls } satisfies Deployed));
    return urls;
  } finally {
    await post(`${url}/identity/api/v1/logout`, session.access_token, { refresh_token: session.refresh_token });
  }
}

/** Deploys the example applications again after each edit of their sources, and prints the duration, until this process ends. */
export function followExamples(options: Options): void {
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const deployAgain = async () => {
    if (readRecord(join(options.folder, "deployed.json"))?.digest === digestOf(options.url)) return;
    const startedAt = performance.now();
    await provideExamples(options, Promise.resolve());
    console.log(`The example applications are deployed again (${Math.round(performance.now() - startedAt)} ms)`);
  };
  watch(exampleSources, { recursive: true, persistent: false }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // An edit that breaks the build is reported, and the earlier deployment stays live.
      last = last.then(deployAgain).catch((error: unknown) => console.log(String(error)));
    }, EDIT_MS);
  });
}

/** Returns a hash of everything that the builds of the examples depend on. */
function digestOf(url: string): string {
  const hash = createHash("sha256").update(url);
  const sources = readdirSync(exampleSources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  const scripts = ["tiny.js", "platform.js"].map((name) => join(builtSdk, name));
  for (const path of [...sources, ...scripts, join(repository, "scripts/support/examples/build.ts")])
    hash.update(path).update(readFileSync(path));
  return hash.digest("hex");
}

function readRecord(path: string): Deployed | undefined {
  mkdirSync(dirname(path), { recursive: true });
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Deployed) : undefined;
}

type Session = { access_token: string; refresh_token: string };

/** Signs the deployer in with a link of the operator, so that no mail appears in the inbox. */
async function signIn({ url, operatorKey }: Options): Promise<Session> {
  const command = `${url}/identity/api/v1/management/create_sign_in_link`;
  const printed = await post(command, operatorKey, { flags: { email: DEPLOYER, company: 1 } });
  const link = /https?:[^\s"]+verify\?[^\s"]+/.exec(printed)?.[0];
  if (link === undefined) throw new Error(`No sign-in link for the deployment of the examples: ${printed}`);
  const { origin, pathname, searchParams } = new URL(link);
  const body = { token: searchParams.get("token"), company_id: Number(searchParams.get("company_id")) };
  return JSON.parse(await post(origin + pathname, undefined, body)) as Session;
}

async function post(url: string, token: string | undefined, body: unknown): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} returns ${response.status}: ${text}`);
  return text;
}
