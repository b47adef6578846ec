import type { ShellSettings } from "../../../schemas/shell/messages.ts";
import type { Page } from "./link.ts";

/**
 * Sets the theme on an element: each token as `--platform-<token>`, the fonts as `--platform-font-body` and
 * `--platform-font-heading`, the density as `data-platform-density` and the mode as
 * `data-platform-mode`. Without a shell, uses the mode of the system.
 */
export function paint(page: Page, element: HTMLElement, settings: ShellSettings | null): void {
  const { tokens = {}, fonts = {}, mode, density = "comfortable" } = settings?.appearance ?? {};
  const set = (name: string, value: string | undefined) =>
    value ? element.style.setProperty(name, value) : element.style.removeProperty(name);
  for (const [token, value] of Object.entries(tokens)) set(`--platform-${token}`, value);
  set("--platform-font-body", fonts.body);
  set("--platform-font-heading", fonts.heading);
  element.dataset.platformDensity = density;
  element.dataset.platformMode = mode ?? (page.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}
