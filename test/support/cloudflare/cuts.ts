import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { StepError } from "../../../scripts/deploy/run.ts";
import { answers, type Bench, openBench } from "./deployments.ts";
import { inventory, runningCode } from "./inventory.ts";
import type { Failure } from "./stand-in.ts";

type End = () => void | Promise<void>;

/** Runs `use` with a new bench and closes it. */
async function withBench<T>(use: (bench: Bench) => Promise<T>): Promise<T> {
  const ends: End[] = [];
  try {
    return await use(await openBench({ onTestFinished: (end) => ends.push(end) }));
  } finally {
    for (const end of ends) await end();
  }
}

/** Returns what an account has after a complete first run, and the calls that changed it. */
export function firstRun() {
  return withBench(async (bench) => {
    await bench.run();
    return { expected: inventory(bench.cloudflare.state), changes: [...bench.cloudflare.changes] };
  });
}

/** Returns the arguments of the command with which an interrupted run continues. */
function continuation(error: unknown): string[] {
  const command = /^Steps can be repeated\. Continue with: npm run deploy -- (.*)$/m.exec(String(error))?.[1];
  expect(command, String(error)).toBeDefined();
  return [...(command ?? "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

/**
 * Cuts a first run at the n-th changing call, continues as the run says, and returns what the account then has. The copy of the
 * secrets must be that of the account.
 */
export function cutAndContinue(at: number, when: "before" | "after") {
  return withBench(async (bench) => {
    const copy = bench.secretsFile();
    bench.cloudflare.cut({ at, when });
    const error = await bench.run(["--yes", ...answers, "--secrets-file", copy]).catch((thrown: unknown) => thrown);
    bench.cloudflare.heal();
    await bench.run(continuation(error));
    expect(bench.lines).toContain("  https://identity.example.com/sign-in/one-time");
    const kept = JSON.parse(readFileSync(copy, "utf8"));
    for (const { name, secrets } of bench.cloudflare.state.scripts.values()) {
      expect(kept[name.replace("platform-", "")], name).toEqual(Object.fromEntries(secrets));
    }
    return inventory(bench.cloudflare.state);
  });
}

/** Cuts an upgrade at the n-th changing call, continues it, and returns the code that each Worker then runs. */
export function cutAndContinueUpgrade(at: number, when: "before" | "after") {
  return withBench(async (bench) => {
    await bench.run();
    bench.setCode("release 2");
    bench.cloudflare.heal();
    bench.cloudflare.cut({ at, when });
    const error = await bench.run(["--yes"]).catch((thrown: unknown) => thrown);
    bench.cloudflare.heal();
    await bench.run(continuation(error));
    return [...bench.cloudflare.state.scripts.values()].map((script) => runningCode(script));
  });
}

/** Returns the calls of an upgrade, and those of them that change the account. */
export function upgradeCalls() {
  return withBench(async (bench) => {
    await bench.run();
    bench.setCode("release 2");
    bench.cloudflare.heal();
    await bench.run(["--yes"]);
    return { calls: [...bench.cloudflare.calls], changes: [...bench.cloudflare.changes] };
  });
}

/**
 * Answers the n-th call of an upgrade with errors, repeats the command if it stops, and returns whether it stopped, how long it
 * waited, and the code that each Worker then runs. A run that stops in its steps must say how to continue; one that stops before
 * must have changed nothing.
 */
export function failAndContinueUpgrade(failure: Failure) {
  return withBench(async (bench) => {
    await bench.run();
    bench.setCode("release 2");
    bench.cloudflare.heal();
    bench.waits.length = 0;
    bench.cloudflare.failAt(failure);
    const end = await bench.run(["--yes"]).catch((thrown: unknown) => thrown);
    const waits = [...bench.waits];
    const hasSteps = end instanceof StepError;
    if (end !== true && !hasSteps) expect(bench.cloudflare.changes).toEqual([]);
    if (end !== true) await bench.run(hasSteps ? continuation(end) : ["--yes"]);
    const codes = [...bench.cloudflare.state.scripts.values()].map((script) => runningCode(script));
    return { isStopped: end !== true, waits, codes: [...new Set(codes)] };
  });
}

/**
 * Answers the n-th changing call of a first run with errors, continues the run if it stops, and returns whether it stopped, how
 * long it waited, and what the account then has.
 */
export function failAndContinue(failure: Failure) {
  return withBench(async (bench) => {
    bench.cloudflare.failAt(failure);
    const end = await bench
      .run(["--yes", ...answers, "--secrets-file", bench.secretsFile()])
      .catch((thrown: unknown) => thrown);
    const waits = [...bench.waits];
    if (end !== true) await bench.run(continuation(end));
    return { isStopped: end !== true, waits, account: inventory(bench.cloudflare.state) };
  });
}
