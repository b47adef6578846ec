// `npm run deploy`: creates or upgrades a deployment in a Cloudflare account with one command (see docs/deploy.md).
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runBackup } from "../cli/backup/backup.ts";
import { actions } from "./deploy/actions.ts";
import { buildUploads, sizeOf } from "./deploy/build.ts";
import { createClient } from "./deploy/cloudflare/client.ts";
import { findToken } from "./deploy/cloudflare/token.ts";
import { buildFrom, type Surroundings } from "./deploy/deploy.ts";
import { type Options, parseOptions, UsageError, usage } from "./deploy/options.ts";
import { openPrompts } from "./deploy/prompts.ts";
import { readRelease } from "./deploy/release.ts";
import { workers } from "./support/services.ts";
import { configs } from "./support/start/workspace.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const apiUrl = "https://api.cloudflare.com/client/v4";

/** Returns the commit of this checkout, or `unknown` outside of a repository. */
function readCommit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

/** Builds all Workers with their wrangler.toml files and prints their sizes. */
async function buildOnly(): Promise<void> {
  const uploads = await buildUploads(configs, join(root, ".generated/deploy/dry-run"));
  for (const worker of workers) {
    const { bytes, gzip } = await sizeOf(uploads[worker]);
    const startUp = `starts in ${uploads[worker].startUpMs?.toFixed(0)} ms`;
    console.log(
      `${worker}: ${bytes} bytes, ${gzip} compressed, ${startUp}, ${uploads[worker].metadata.bindings.length} bindings`,
    );
  }
}

async function main(options: Options): Promise<void> {
  if (options.action === "dry-run") return buildOnly();
  const { env } = process;
  const baseUrl = (env.CLOUDFLARE_API_BASE_URL ?? apiUrl).replace(/\/$/, "");
  const surroundings: Surroundings = {
    api: createClient({ baseUrl, token: await findToken(env), wait }),
    records: join(root, "deploy"),
    generated: join(root, ".generated/deploy"),
    label: readCommit(),
    prompts: openPrompts(),
    env,
    say: (line) => console.log(line),
    wait,
    now: Date.now,
    publicUrl: (url) => url,
    backup: runBackup,
    build: buildFrom,
    release: readRelease,
  };
  const isDone = await actions[options.action](options, surroundings);
  if (!isDone && (options.action === "check" || options.action === "destroy")) process.exitCode = 1;
  else if (!isDone) console.log("Nothing was changed.");
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === null) console.log(usage);
  else await main(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) console.error("npm run deploy -- --help lists the options.");
  process.exitCode = 1;
}
