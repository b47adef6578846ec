import { readFileSync } from "node:fs";
import { createClient } from "../../../scripts/deploy/cloudflare/client.ts";
import type { Rotation } from "../../../scripts/deploy/rotation/plan.ts";
import { rotate } from "../../../scripts/deploy/rotation/rotate.ts";
import type { SecretsCopy } from "../../../scripts/deploy/rotation/secrets-copy.ts";
import { services } from "../../../scripts/support/services.ts";
import { answers, openBench } from "./deployments.ts";
import { databaseOf } from "./public-web.ts";

type Cleanup = Parameters<typeof openBench>[0];
export type Flags = { isFinished?: boolean; isLeaked?: boolean; env?: NodeJS.ProcessEnv };

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Creates a deployment, and returns functions that rotate its secrets and read them from the copy and the account. */
export async function openDeployment(context: Cleanup) {
  const bench = await openBench(context);
  const copy = bench.secretsFile();
  await bench.run(["--yes", ...answers, "--secrets-file", copy]);
  const { state } = bench.cloudflare;
  const said: string[] = [];
  let passed = 0;
  return {
    bench,
    /** lets time pass for the command */
    pass: (ms: number) => {
      passed += ms;
    },
    copy,
    said,
    read: () => JSON.parse(readFileSync(copy, "utf8")) as SecretsCopy,
    stored: () =>
      Object.fromEntries(
        services.map((name) => [name, Object.fromEntries(state.scripts.get(`platform-${name}`)?.secrets ?? [])]),
      ),
    database: (service: "identity" | "email") => {
      const script = state.scripts.get(`platform-${service}`);
      const db = script === undefined ? undefined : databaseOf(state, script);
      if (db === undefined) throw new Error(`there is no database of ${service}`);
      return db;
    },
    rotate: (what: Rotation, { isFinished = false, isLeaked = false, env = {} }: Flags = {}) => {
      said.length = 0;
      return rotate(
        { what, name: "platform", copy, isFinished, isLeaked },
        {
          api: createClient({ baseUrl: bench.cloudflare.url, token: bench.cloudflare.token, wait: async () => {} }),
          records: bench.records,
          env,
          say: (line) => said.push(line),
          now: () => Date.now() + passed,
          publicUrl: bench.cloudflare.publicUrl,
        },
      );
    },
  };
}
