import { expect, it } from "vitest";
import { cutAndContinue, firstRun } from "../../support/cloudflare/cuts.ts";

/** All cuts, on a busy machine */
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
