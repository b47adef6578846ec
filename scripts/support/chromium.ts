import { existsSync } from "node:fs";

// chromium-headless-shell has the same engine without browser windows and uses little more than half the CPU time.
const paths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** The path of Chromium: CHROMIUM_PATH, else where Debian installs its headless shell or the browser. The file may be missing. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? paths.find(existsSync) ?? "/usr/bin/chromium";
