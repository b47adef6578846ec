import { afterEach, vi } from "vitest";
import { clock } from "../../workers/kit/clock";

/** Resets the clock to the current time. */
export function restoreClock(): void {
  clock.now = () => Date.now();
}

/** Resets the clock, mocks and stubs after each test of the file. */
export function restoreAfterEach(): void {
  afterEach(() => {
    restoreClock();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
}
