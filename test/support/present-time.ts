import { afterEach } from "vitest";
import { restoreClock } from "./restore";

// A set-up file. All files of a worker share its clock: no test may leave it moved or standing to the next one.
afterEach(restoreClock);
