import type { Browser, Page } from "playwright-core";
import { ACTION_TIMEOUT_MS } from "../platform/chromium.ts";
import { axe } from "./axe.ts";
import { type BackendResponses, routeBackend } from "./fake-identity.ts";

const shellOf = (url: string, storedEntries: Record<string, string>, responses?: BackendResponses) =>
  JSON.stringify([new URL(url).origin, storedEntries, responses]);

async function resetLook(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 800 });
  // `findingsEverywhere` checks screens without motion.
  await page.emulateMedia({ colorScheme: null, reducedMotion: "reduce" });
  // Moves the pointer away from all elements.
  await page.mouse.move(1439, 799);
}

/**
 * Opens one screen after another in the same page, because starting a browser and loading the shell and axe takes most of
 * the time of a check. Only a page that was returned is used again, so a failed check does not affect the next one.
 */
export class SharedPage {
  #idlePage: Page | undefined;
  /** The shell in the idle page with its data, if the last screen left it as `open` does. */
  #idleShell: string | undefined;
  #openedShell = "";
  #screenCount = 0;
  readonly #browser: Browser;
  readonly #locale: string;

  constructor(browser: Browser, locale = "en-GB") {
    this.#browser = browser;
    this.#locale = locale;
  }

  /**
   * Shows a URL of the shell as `open` does. It loads nothing if the last screen restored the same shell with the same data, so the
   * last view can remain visible for a moment.
   */
  async show(url: string, storedEntries: Record<string, string>, responses?: BackendResponses): Promise<Page> {
    const page = this.#idlePage;
    if (page === undefined || this.#idleShell !== shellOf(url, storedEntries, responses))
      return this.open(url, storedEntries, responses);
    this.#idlePage = undefined;
    await resetLook(page);
    await page.evaluate((address) => {
      if (location.href === address) return;
      history.pushState(null, "", address);
      dispatchEvent(new PopStateEvent("popstate"));
    }, url);
    return page;
  }

  /** Opens a URL of the shell with these entries of local storage and without data of the previous screen. */
  async open(url: string, storedEntries: Record<string, string>, responses?: BackendResponses): Promise<Page> {
    this.#idleShell = undefined;
    this.#openedShell = shellOf(url, storedEntries, responses);
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

  /** Makes a page available for the next screen. `isRestored` is whether it is as after loading, in any view of the shell. */
  return(page: Page, isRestored: boolean): void {
    this.#idlePage = page;
    this.#idleShell = isRestored ? this.#openedShell : undefined;
  }

  async #create(): Promise<Page> {
    const context = await this.#browser.newContext({ locale: this.#locale });
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
    await resetLook(page);
    return page;
  }
}
