import { expect, it } from "vitest";
import { cutAndContinueUpgrade, failAndContinueUpgrade, upgradeCalls } from "../../support/cloudflare/cuts.ts";
import { failures } from "../../support/cloudflare/failures.ts";

/** All cuts, on a busy machine */
const PATIENT_MS = 300_000;

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
