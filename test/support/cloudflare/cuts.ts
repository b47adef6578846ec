import { expect } from "vitest";
import { answers, type Bench, openBench } from "./deployments.ts";
import { inventory } from "./inventory.ts";

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

/** Cuts a first run at the n-th changing call, repeats the run, and returns what the account then has. */
export function cutAndRepeat(at: number, when: "before" | "after") {
  return withBench(async (bench) => {
    bench.cloudflare.cut({ at, when });
    const cut = bench.run(["--yes", ...answers, "--secrets-file", bench.secretsFile()]);
    await expect(cut, `call ${at}`).rejects.toThrow("Continue with: npm run deploy -- --name platform");
    bench.cloudflare.heal();
    await bench.run(["--yes", "--secrets-file", bench.secretsFile()]);
    return inventory(bench.cloudflare.state);
  });
}
