import type { Shell } from "../shell/shell.ts";
import { createStore, type Readable } from "../store.ts";
import { findTheme, modeOf, propertyOf, type Theme, themeTokens } from "./theme.ts";

export type Appearance = { themeName: string; mode: "light" | "dark"; theme: Theme | undefined };

const fonts = {
  body: "--font-body",
  heading: "--font-heading",
  letterSpacing: "--letter-spacing",
  lineHeight: "--line-height",
};
const loadedFonts = new Set<string>();

/**
 * Applies the theme, colour scheme and density to the page, and again when they change. Returns a store with the theme and the mode
 * (`light` or `dark`).
 */
export function syncTheme({ page, settings }: Pick<Shell, "page" | "settings">): Readable<Appearance> {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const appearance = (): Appearance => {
    const { themes, defaultTheme } = page.get().config;
    const { themeName, colorScheme } = settings.get();
    const theme = findTheme(themes, themeName, defaultTheme);
    return { theme, themeName: theme?.name ?? "default", mode: modeOf(colorScheme, system.matches) };
  };
  const current = createStore(appearance());
  const update = () => {
    const next = appearance();
    apply(document.documentElement, next);
    if (settings.get().density === "compact") document.documentElement.dataset.density = "compact";
    else delete document.documentElement.dataset.density;
    const { theme, mode } = current.get();
    if (theme !== next.theme || mode !== next.mode) current.set(next);
  };
  update();
  for (const store of [page, settings]) store.subscribe(update);
  system.addEventListener("change", update);
  return current;
}

function apply(root: HTMLElement, { theme, mode }: Appearance) {
  root.dataset.scheme = mode;
  const palette: Record<string, string | undefined> = theme?.colors[mode] ?? {};
  for (const token of themeTokens) setProperty(root, propertyOf(token), palette[token]);
  for (const [name, property] of Object.entries(fonts)) {
    const value = theme?.fonts?.[name as keyof typeof fonts];
    setProperty(root, property, value === undefined ? undefined : String(value));
  }
  if (theme?.fonts?.files) for (const file of theme.fonts.files) loadFont(file, theme.fonts);
  const color = getComputedStyle(root).getPropertyValue("--sidebar-background").trim();
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", color);
}

const setProperty = (root: HTMLElement, name: string, value: string | undefined) =>
  value === undefined ? root.style.removeProperty(name) : root.style.setProperty(name, value);

/** Loads a font file for the family whose name is part of the file name, else for the body font. */
function loadFont(file: string, { body, heading }: NonNullable<Theme["fonts"]>) {
  if (loadedFonts.has(file)) return;
  loadedFonts.add(file);
  const normalize = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const first = (families: string | undefined) => families?.split(",")[0]?.replace(/["']/g, "").trim();
  const family =
    [first(heading), first(body)].find((name) => name && normalize(file).includes(normalize(name))) ?? first(body);
  if (family === undefined) return;
  const weight = /variable|\bwght\b/i.test(file)
    ? "100 900"
    : /bold|700/i.test(file)
      ? "700"
      : /medium|500/i.test(file)
        ? "500"
        : "400";
  const source = file.startsWith("/") ? file : `/${file}`;
  const font = new FontFace(family, `url(${JSON.stringify(source)})`, {
    weight,
    style: /italic/i.test(file) ? "italic" : "normal",
    display: "swap",
  });
  document.fonts.add(font);
  font.load().catch(() => console.warn(`font ${file} could not be loaded`));
}

/** Returns the current values of the theme tokens, for embedded applications. */
export function readTokens(): Record<string, string> {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(themeTokens.map((token) => [token, style.getPropertyValue(propertyOf(token)).trim()]));
}
