import { expect, it } from "vitest";
import { buildFrom } from "../../scripts/deploy/deploy.ts";
import { readRelease } from "../../scripts/deploy/release.ts";
import {
  cutAndContinue,
  cutAndContinueUpgrade,
  failAndContinue,
  failAndContinueUpgrade,
  firstRun,
  upgradeCalls,
} from "../support/cloudflare/cuts.ts";
import { answers, openBench } from "../support/cloudflare/deployments.ts";

/** Ten builds by wrangler, or all cuts, on a busy machine. */
const PATIENT_MS = 300_000;

it.each(["before", "after"] as const)(
  "continues a run that was cut %s any changing call",
  async (when) => {
    const { expected, changes } = await firstRun();
    expect(changes.length).toBeGreaterThan(70);
    for (const [index, call] of changes.entries()) {
      expect(await cutAndContinue(index + 1, when), `${when} ${call}`).toEqual(expected);
    }
  },
  PATIENT_MS,
);

it.each(["before", "after"] as const)(
  "continues an upgrade that was cut %s any changing call",
  async (when) => {
    const { changes } = await upgradeCalls();
    expect(changes.length).toBeGreaterThan(15);
    for (const [index, call] of changes.entries()) {
      expect(new Set(await cutAndContinueUpgrade(index + 1, when)), `${when} ${call}`).toEqual(new Set(["release 2"]));
    }
  },
  PATIENT_MS,
);

const failures = [
  { failure: { when: "before", status: 429, times: 1, retryAfter: 7 }, isStopped: false, waited: 7000 },
  { failure: { when: "after", status: 502, times: 1 }, isStopped: false, waited: 500 },
  { failure: { when: "before", status: 503, times: 5 }, isStopped: true, waited: 500 },
] as const;

it.each(failures)(
  "waits or stops when any changing call of a first run is answered with $failure.status $failure.times times, and loses nothing",
  async ({ failure, isStopped, waited }) => {
    const { expected, changes } = await firstRun();
    for (const [index, call] of changes.entries()) {
      const end = await failAndContinue({ ...failure, at: index + 1 });
      expect({ ...end, waits: end.waits.includes(waited) }, call).toEqual({
        isStopped,
        waits: true,
        account: expected,
      });
    }
  },
  PATIENT_MS,
);

it.each(failures)(
  "waits or stops when any call of an upgrade is answered with $failure.status $failure.times times, and continues",
  async ({ failure, isStopped, waited }) => {
    const { calls } = await upgradeCalls();
    expect(calls.length).toBeGreaterThan(40);
    for (const [index, call] of calls.entries()) {
      const end = await failAndContinueUpgrade({ ...failure, of: "calls", at: index + 1 });
      expect({ ...end, waits: end.waits.includes(waited) }, call).toEqual({
        isStopped,
        waits: true,
        codes: ["release 2"],
      });
    }
  },
  PATIENT_MS,
);

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
