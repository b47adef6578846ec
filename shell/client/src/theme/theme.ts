import { colorTokens } from "../../../../schemas/shell/color-tokens.ts";
import type { ShellConfig } from "../../../../schemas/shell/config.ts";
import type { Scheme } from "../shell/settings.ts";

export type Theme = ShellConfig["themes"][number];

/** Tokens that a theme may set. Each is a custom property of the root element: `mutedForeground` is `--muted-foreground`. */
export const themeTokens = [...colorTokens, "radius"] as const;

/** Returns the custom property of a token: `--muted-foreground` for `mutedForeground`. */
export const propertyOf = (token: string): string =>
  `--${token.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Returns the chosen scheme, or the system's scheme if the choice is `system` or absent. */
export const modeOf = (scheme: Scheme | undefined, systemIsDark: boolean): "light" | "dark" =>
  scheme === "light" || scheme === "dark" ? scheme : systemIsDark ? "dark" : "light";

/** Returns the theme of the first name that exists, or undefined if that is the built-in theme or no name exists. */
export function findTheme(themes: readonly Theme[], ...names: (string | undefined)[]): Theme | undefined {
  for (const name of names) {
    if (name === "default") return undefined;
    const theme = themes.find((candidate) => candidate.name === name);
    if (theme !== undefined) return theme;
  }
  return undefined;
}
