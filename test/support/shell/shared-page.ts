import type { Browser, Page } from "playwright-core";
import { ACTION_TIMEOUT_MS } from "../platform/chromium.ts";
import { axe } from "./axe.ts";
import { type BackendResponses, routeBackend } from "./fake-identity.ts";

/**
 * Opens one screen after another in the same page, because starting a browser and loading the shell and axe takes most of
 * the time of a check. Only a page that was returned is used again, so a failed check does not affect the next one.
 */
export class SharedPage {
  #idlePage: Page | undefined;
  #screenCount = 0;
  readonly #browser: Browser;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Opens a URL of the shell with these entries of local storage and without data of the previous screen. */
  async open(url: string, storedEntries: Record<string, string>, responses?: BackendResponses): Promise<Page> {
    const page = await this.#take();
    await routeBackend(page.context(), responses);
    this.#screenCount += 1;
    const resetStorage = (screenId: string, entries: Record<string, string>) => {
      if (window.top !== window || sessionStorage.getItem("begun") === screenId) return;
      localStorage.clear();
      sessionStorage.clear();
      sessionStorage.setItem("begun", screenId);
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
    };
    const devTools = await page.context().newCDPSession(page);
    await devTools.send("Page.enable");
    const source = `(${String(resetStorage)})("${this.#screenCount}", ${JSON.stringify(storedEntries)})`;
    await devTools.send("Page.addScriptToEvaluateOnNewDocument", { source });
    await page.goto(url);
    await devTools.detach();
    return page;
  }

  /** Makes a page available for the next screen. */
  return(page: Page): void {
    this.#idlePage = page;
  }

  async #create(): Promise<Page> {
    const context = await this.#browser.newContext({ locale: "en-GB" });
    // The browser keeps the script, so it is not sent again for each screen.
    await context.addInitScript(`if (window === top) { ${axe} }`);
    return context.newPage();
  }

  async #take(): Promise<Page> {
    const page = this.#idlePage ?? (await this.#create());
    this.#idlePage = undefined;
    const browserContext = page.context();
    browserContext.setDefaultTimeout(ACTION_TIMEOUT_MS);
    await browserContext.unrouteAll({ behavior: "ignoreErrors" });
    await browserContext.setOffline(false);
    await page.setViewportSize({ width: 1440, height: 800 });
    // `findingsEverywhere` checks screens without motion.
    await page.emulateMedia({ colorScheme: null, reducedMotion: "reduce" });
    // Moves the pointer away from all elements.
    await page.mouse.move(1439, 799);
    return page;
  }
}
