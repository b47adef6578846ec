import axeCore from "axe-core";
import type { Frame, Page } from "playwright-core";

/** The source of axe, which `findingsOf` loads into pages that do not have it. */
export const axe = axeCore.source;

type Checker = {
  run: (
    root: Document,
    options: object,
  ) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
};

/** Returns the axe violations of the current page and horizontal overflow, without application frames. */
export async function findingsOf(page: Page | Frame): Promise<string[]> {
  const isLoaded = await page.evaluate(() => "axe" in window);
  if (!isLoaded) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: Checker };
    const { violations } = await checker.run(document, { iframes: false, resultTypes: ["violations"] });
    const findings = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} (${failureSummary ?? ""})`),
    );
    const overflowPx = document.documentElement.scrollWidth - innerWidth;
    return overflowPx > 0 ? [...findings, `wider than the window by ${overflowPx} px`] : findings;
  });
}

/**
 * Checks the page at 1440 px in light mode and at 375 px in dark mode, or at `width` in both modes. Each finding starts
 * with its width and mode.
 */
export async function findingsEverywhere(page: Page, width?: number): Promise<string[]> {
  const findings: string[] = [];
  for (const [colorScheme, defaultWidth] of [
    ["light", 1440],
    ["dark", 375],
  ] as const) {
    await page.setViewportSize({ width: width ?? defaultWidth, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // The view's script may still be loading. Every view has a heading once it is ready.
    await page.locator("h1").first().waitFor({ state: "attached" });
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => 0))));
    findings.push(
      ...(await findingsOf(page)).map((finding) => `${width ?? defaultWidth} px ${colorScheme}: ${finding}`),
    );
  }
  return findings;
}
