import { afterEach, vi } from "vitest";
import { clock } from "../../workers/kit/clock";

/** The clock shows the present time again. */
export function restoreClock(): void {
  clock.now = () => Date.now();
}

/** After each test of the file the clock shows the present time, and nothing is mocked or stubbed any more. */
export function restoreAfterEach(): void {
  afterEach(() => {
    restoreClock();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
}
