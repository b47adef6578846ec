import { contrastOf } from "./color.ts";
import { listAt, objectAt, type RuleContext, textAt } from "./context.ts";

const minContrast = 4.5;

/** The text colours whose contrast is checked, each with its background. */
const pairs = [
  ["foreground", "background"],
  ["cardForeground", "card"],
  ["popoverForeground", "popover"],
  ["primaryForeground", "primary"],
  ["secondaryForeground", "secondary"],
  ["mutedForeground", "muted"],
  ["accentForeground", "accent"],
  ["destructiveForeground", "destructive"],
  ["sidebarForeground", "sidebarBackground"],
  ["sidebarPrimaryForeground", "sidebarPrimary"],
  ["sidebarAccentForeground", "sidebarAccent"],
] as const;

/** Checks themes, layout and cookie hosts. */
export function checkAppearance(context: RuleContext): void {
  const { rawConfig, report } = context;
  const themes = listAt(rawConfig, "themes");
  const names = themes.map((theme) => textAt(theme, "name"));
  for (const [index, name] of names.entries()) {
    if (name !== undefined && names.indexOf(name) < index) {
      report("invalid-value", ["themes", index, "name"], `Another theme has the name "${name}".`);
    }
    for (const scheme of ["light", "dark"] as const) checkContrast(context, index, scheme);
  }
  const chosen = textAt(rawConfig, "defaultTheme");
  if (chosen !== undefined && chosen !== "default" && !names.includes(chosen)) {
    const themeNames = new Set(["default", ...names.filter((name) => name !== undefined)]);
    report(
      "unknown-theme",
      ["defaultTheme"],
      `No theme is named "${chosen}"; there are ${[...themeNames].join(", ")}.`,
    );
  }
  if (textAt(rawConfig, "layout") === "windows") {
    report("layout-later", ["layout"], 'The layout "windows" is not available yet; "sidebar" is shown.', {
      level: "warning",
    });
  }
  const hosts = listAt(rawConfig, "cookieConsent", "cookies").map((cookie) => textAt(cookie, "host"));
  for (const [index, host] of hosts.entries()) {
    if (host === undefined || hosts.indexOf(host) === index) continue;
    report("invalid-value", ["cookieConsent", "cookies", index, "host"], `Another cookie has the host "${host}".`);
  }
}

/** Checks the contrast of a theme. Colours that a theme omits come from the shell's default theme. */
function checkContrast({ rawConfig, report, shell }: RuleContext, index: number, scheme: "light" | "dark"): void {
  const themeColors = objectAt(rawConfig, "themes", index, "colors", scheme);
  const base = shell?.palettes[scheme] ?? {};
  for (const [text, background] of pairs) {
    if (themeColors[text] === undefined && themeColors[background] === undefined) continue;
    const [front, back] = [
      textAt(themeColors, text) ?? base[text],
      textAt(themeColors, background) ?? base[background],
    ];
    const contrast = front && back ? contrastOf(front, back) : undefined;
    if (contrast === undefined || contrast >= minContrast) continue;
    const reportedKey = themeColors[text] === undefined ? background : text;
    const sentence = `${text} on ${background} has a contrast of ${contrast.toFixed(1)}:1; text needs ${minContrast}:1.`;
    report("low-contrast", ["themes", index, "colors", scheme, reportedKey], sentence, { level: "warning" });
  }
}
