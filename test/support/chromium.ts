import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** Whether the browser tests can run here; says so once when they cannot. */
export const hasChromium = existsSync(executablePath);
if (!hasChromium) console.warn(`Browser tests are skipped: there is no ${executablePath} (set CHROMIUM_PATH).`);

/** A headless Chromium that calls nobody but the pages under test. */
export function launchChromium(): Promise<Browser> {
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
    ],
  });
}

/** A person's browser of its own: cookies, storage, language. `errors` collects script errors and refused resources. */
export async function openPage(
  browser: Browser,
  options: { locale?: string; javaScriptEnabled?: boolean } = {},
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
