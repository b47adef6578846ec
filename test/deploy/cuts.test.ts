import { expect, it } from "vitest";
import { cutAndContinue, firstRun } from "../support/cloudflare/cuts.ts";

/** Returns the kind of a call: its method and path without ids. */
const kindOf = (call: string | undefined): string => call?.replace(/[0-9a-f-]{32,}/g, "") ?? "";

// kills.test.ts cuts the run at every call.
it("continues as it says a run whose connection was cut at the first and last call of each kind", async () => {
  const { expected, changes } = await firstRun();
  expect(changes.length).toBeGreaterThan(70);
  const numbers = changes.flatMap((call, index) => {
    const isInside = [changes[index - 1], changes[index + 1]].every((other) => kindOf(other) === kindOf(call));
    return isInside ? [] : [index + 1];
  });
  expect(numbers.length).toBeGreaterThan(30);
  for (const at of numbers) {
    expect(await cutAndContinue(at, "after"), `after ${at}: ${changes[at - 1]}`).toEqual(expected);
  }
});
