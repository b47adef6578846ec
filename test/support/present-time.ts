import { afterEach } from "vitest";
import { restoreClock } from "./restore";

// A set-up file. All files of a worker share its clock, so no test may leave it changed.
afterEach(restoreClock);
