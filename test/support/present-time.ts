import { afterEach } from "vitest";
import { restoreClock } from "./restore";

// Vitest set-up file. All test files of a worker share one clock, so each test must restore it.
afterEach(restoreClock);
