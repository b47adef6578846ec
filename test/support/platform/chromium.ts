import { createHash, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumPath } from "../../../scripts/support/chromium.ts";
import { atWorkerExit } from "./worker-end.ts";

/** whether this machine has a Chromium; browser tests are skipped without one */
export const hasChromium = existsSync(chromiumPath);
if (!hasChromium) console.warn(`Browser tests are skipped: ${chromiumPath} does not exist (set CHROMIUM_PATH).`);

/** Hosts that a browser resolves to a TLS port of this machine, and the certificate of that port. */
export type Sites = { hosts: string[]; port: number; certificate: string };

/**
 * Returns arguments that resolve the hosts of the sites and loopback names to this machine, and no other name. The browser
 * trusts the certificate by its key (RFC 7469, 2.4), so the pages have a secure context.
 */
function siteArguments({ hosts, port, certificate }: Sites): string[] {
  const key = new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" });
  const rules = [
    ...hosts.map((host) => `MAP ${host}:443 127.0.0.1:${port}`),
    "MAP * ~NOTFOUND",
    "EXCLUDE localhost",
    "EXCLUDE 127.0.0.1",
  ];
  return [
    `--host-resolver-rules=${rules.join(",")}`,
    `--ignore-certificate-errors-spki-list=${createHash("sha256").update(key).digest("base64")}`,
  ];
}

// The first three features render hidden pages for each window in another process, which costs more than all pages
// under test. The others are the features that Playwright disables, because this list replaces Playwright's.
const disabledFeatures = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "SpareRendererForSitePerProcess",
];

let shared: Promise<Browser> | undefined;

/**
 * Returns a headless Chromium that sends requests only for the pages under test. Without arguments it returns the browser that
 * the test worker shares, whose `close` only closes its contexts. `plainHost` resolves to this machine.
 */
export function launchChromium(sites?: Sites, plainHost?: string): Promise<Browser> {
  if (sites || plainHost) return launch(sites, plainHost);
  shared ??= launch().then((browser) => {
    browser.close = async () => void (await Promise.all(browser.contexts().map((context) => context.close())));
    // Playwright kills the browser when the process exits, but its SIGTERM listener does not exit.
    atWorkerExit(() => {});
    return browser;
  });
  return shared;
}

/** Launches a separate Chromium that runs the frames of each site in their own process, the default on desktops. */
export const launchWithSiteIsolation = () => launch(undefined, undefined, ["--site-per-process"]);

function launch(sites?: Sites, plainHost?: string, extraArguments: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      // The software compositor needs no process of its own.
      "--in-process-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${disabledFeatures.join(",")}`,
      ...(sites ? siteArguments(sites) : []),
      ...extraArguments,
      ...(plainHost ? [`--host-resolver-rules=MAP ${plainHost} 127.0.0.1`] : []),
    ],
  });
}

/** How long an action on a page may take. A slow machine needs this long for a page that a quick one shows in 2 s. */
export const ACTION_TIMEOUT_MS = 60_000;

/**
 * Opens a page in a new browser context that asks for reduced motion: drawing animations takes a sixth of the browser's time. Tests
 * of motion pass `reducedMotion: "no-preference"`. `errors` collects uncaught exceptions and console errors, such as blocked
 * resources.
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; context: BrowserContext; errors: string[] }> {
  const context = await browser.newContext({ locale: "en-GB", reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);
  const errors: string[] = [];
  context.on("weberror", (error) => errors.push(String(error.error())));
  context.on("console", (message) => {
    // The console also reports 4xx responses, which tests of rejected sign-ins expect.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  return { page: await context.newPage(), context, errors };
}
