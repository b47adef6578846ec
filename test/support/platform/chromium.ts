import { createHash, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { atWorkerEnd } from "./worker-end.ts";

// The shell has the same engine without a window around it, and takes little more than half of the processor's time.
const paths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const executablePath = process.env.CHROMIUM_PATH ?? paths.find(existsSync) ?? "/usr/bin/chromium";

/** Whether the browser tests can run here; says so once when they cannot. */
export const hasChromium = existsSync(executablePath);
if (!hasChromium) console.warn(`Browser tests are skipped: there is no ${executablePath} (set CHROMIUM_PATH).`);

/** Sites that a browser finds by their real names: a TLS port of this machine, and whose certificate it shows there. */
export type Sites = { hosts: string[]; port: number; certificate: string };

/**
 * The names of `sites` lead to them and loopback names to this machine; no other name is found. Their certificate is
 * trusted by its key (RFC 7469, 2.4), so the pages are as secure to the browser as the real ones.
 */
function argumentsOf({ hosts, port, certificate }: Sites): string[] {
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

// The first row is drawn as pages of their own beside each window, in another process, though nobody sees them: they cost
// more than all pages under test. The rest is what Playwright turns off, whose list this one replaces.
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
 * A headless Chromium that calls nobody but the pages under test. Without arguments it is the one of this test worker, whose
 * `close` closes its contexts; each test opens contexts of its own. `plainHost` resolves to this machine.
 */
export function launchChromium(sites?: Sites, plainHost?: string): Promise<Browser> {
  if (sites || plainHost) return launch(sites, plainHost);
  shared ??= launch().then((browser) => {
    browser.close = async () => void (await Promise.all(browser.contexts().map((context) => context.close())));
    // Playwright kills the browser when the process exits, and listens to SIGTERM without exiting.
    atWorkerEnd(() => {});
    return browser;
  });
  return shared;
}

/** A Chromium of its own with frames of each site in their own process, as desktops have them by default. */
export const launchWithSiteIsolation = () => launch(undefined, undefined, ["--site-per-process"]);

function launch(sites?: Sites, plainHost?: string, more: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${disabledFeatures.join(",")}`,
      ...(sites ? argumentsOf(sites) : []),
      ...more,
      ...(plainHost ? [`--host-resolver-rules=MAP ${plainHost} 127.0.0.1`] : []),
    ],
  });
}

/** A person's browser of its own: cookies, storage, language. `errors` collects script errors and refused resources. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; context: BrowserContext; errors: string[] }> {
  const context = await browser.newContext({ locale: "en-GB", ...options });
  context.setDefaultTimeout(20_000);
  const errors: string[] = [];
  context.on("weberror", (error) => errors.push(String(error.error())));
  context.on("console", (message) => {
    // A refused sign-in is a 4xx that the console reports too; what matters here are policies and exceptions.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  return { page: await context.newPage(), context, errors };
}
