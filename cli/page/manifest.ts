import type { PageData } from "../../schemas/shell/page.ts";
import { toHex } from "../config/rules/color.ts";
import type { ShellRecord } from "./shell-files.ts";

/**
 * Returns `manifest.webmanifest`, which makes a shell installable. The paths in `icons` are relative to the root of the site.
 */
export function renderManifest(page: PageData, shell: ShellRecord, icons: ShellRecord["icons"]): string {
  const { config, language } = page;
  const name = config.title ?? "Platform";
  const theme = config.themes.find((candidate) => candidate.name === config.defaultTheme)?.colors.light ?? {};
  const base = shell.palettes.light;
  const background = toHex(theme.background ?? base.background ?? "#ffffff");
  const manifest = {
    name,
    short_name: name.length > 12 ? (name.split(/\s+/)[0] ?? name) : name,
    id: "/",
    start_url: "/",
    scope: "/",
    display: "standalone",
    lang: language,
    background_color: background,
    theme_color: toHex(theme.sidebarBackground ?? theme.background ?? base.sidebarBackground ?? background),
    icons: icons.map(({ path, size, isMaskable }) => ({
      src: `/${path}`,
      sizes: `${size}x${size}`,
      type: "image/png",
      purpose: isMaskable ? "maskable" : "any",
    })),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
