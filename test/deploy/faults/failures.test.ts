import { expect, it } from "vitest";
import { failAndContinue, firstRun } from "../../support/cloudflare/cuts.ts";
import { failures } from "../../support/cloudflare/failures.ts";

/** All cuts, on a busy machine */
const PATIENT_MS = 300_000;

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
