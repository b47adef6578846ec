import { expect, it } from "vitest";
import { buildFrom } from "../../../scripts/deploy/deploy.ts";
import { readRelease } from "../../../scripts/deploy/release.ts";
import { answers, openBench } from "../../support/cloudflare/deployments.ts";

/** Ten builds by wrangler on a busy machine */
const PATIENT_MS = 300_000;

it(
  "deploys what wrangler builds, with all migrations and the whole mail library",
  async (context) => {
    const bench = await openBench(context);
    const real = { build: buildFrom, release: readRelease };
    await bench.run(["--yes", ...answers, "--apps-domain", "apps.example.com"], real);
    const { state } = bench.cloudflare;
    const [version] = state.scripts.get("platform-email")?.versions.slice(-1) ?? [];
    expect(version?.metadata.bindings).toContainEqual({ name: "QUEUE_BULK", type: "queue", queue_name: "email-bulk" });
    expect(version?.metadata.bindings).toContainEqual({ name: "DB", type: "d1", id: bench.record().databases.email });
    expect(version?.metadata.migrations?.new_tag).toBe("v2");
    expect(Object.keys(version?.modules ?? {})).toEqual(["worker.js", "worker.js.map"]);
    const email = state.databases.find(({ name }) => name === "platform-email")?.db;
    expect(email?.prepare("SELECT count(*) AS count FROM library_templates").get()?.count).toBeGreaterThan(10);
    bench.cloudflare.heal();
    await bench.run(["--yes"], real);
    expect(bench.cloudflare.changes).toEqual([]);
  },
  PATIENT_MS,
);
