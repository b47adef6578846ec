// `platform rotate`: replaces secrets of a deployment (see docs/operate.md#keys).
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createClient } from "./deploy/cloudflare/client.ts";
import { findToken } from "./deploy/cloudflare/token.ts";
import { UsageError } from "./deploy/options.ts";
import { type Rotation, rotations } from "./deploy/rotation/plan.ts";
import { type RotateOptions, rotate } from "./deploy/rotation/rotate.ts";

const usage = `Usage: platform rotate <${rotations.join("|")}> --secrets-file <file> [options]

Replaces secrets of a deployment, in the order in which nothing valid stops. Repeat a command that was interrupted.

  --secrets-file <file>  the copy of the secrets that npm run deploy -- --secrets-file wrote
  --name <name>          the deployment (platform)
  --finish               remove the previous values of jwt, seal or pepper
  --leaked               keep no previous values where the platform can do without them`;

function readOptions(args: string[]): RotateOptions | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      "secrets-file": { type: "string" },
      name: { type: "string", default: "platform" },
      finish: { type: "boolean", default: false },
      leaked: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const [what = "", ...others] = positionals;
  if (others.length > 0 || !rotations.some((name) => name === what))
    throw new UsageError(`Name one of ${rotations.join(", ")}.`);
  const copy = values["secrets-file"];
  if (copy === undefined) throw new UsageError("--secrets-file is missing.");
  if (values.finish && values.leaked) throw new UsageError("--finish and --leaked exclude each other.");
  return { what: what as Rotation, name: values.name, copy, isFinished: values.finish, isLeaked: values.leaked };
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === null) console.log(usage);
  else {
    const { env } = process;
    const baseUrl = (env.CLOUDFLARE_API_BASE_URL ?? "https://api.cloudflare.com/client/v4").replace(/\/$/, "");
    await rotate(options, {
      api: createClient({ baseUrl, token: await findToken(env), wait }),
      records: join(fileURLToPath(new URL("../", import.meta.url)), "deploy"),
      env,
      say: (line) => console.log(line),
      now: Date.now,
      publicUrl: (url) => url,
    });
  }
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && "code" in error);
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  if (isUsage) console.error("platform rotate --help lists the options.");
  process.exitCode = isUsage ? 2 : 1;
}
