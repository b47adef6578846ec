import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { contrastOf } from "../../../cli/config/rules/color.ts";

const css = readFileSync(new URL("../../../schemas/look/tokens.css", import.meta.url), "utf8");
const [light = "", darkCss = ""] = css.split(':root[data-scheme="dark"]');
const dark = darkCss.slice(0, darkCss.indexOf("\n}"));
const colorsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/--([a-z-]+): (oklch\([^)]*\));/g)].map(([, name = "", value = ""]) => [name, value]),
  );

const texts = [
  ["background", "foreground"],
  ["card", "card-foreground"],
  ["popover", "popover-foreground"],
  ["primary", "primary-foreground"],
  ["secondary", "secondary-foreground"],
  ["muted", "muted-foreground"],
  ["accent", "accent-foreground"],
  ["background", "muted-foreground"],
  ["destructive", "destructive-foreground"],
  ["sidebar-background", "sidebar-foreground"],
  ["sidebar-accent", "sidebar-accent-foreground"],
  ["sidebar-primary", "sidebar-primary-foreground"],
  ["sidebar-background", "muted-foreground"],
  ["background", "primary"],
  ["background", "destructive"],
  ["background", "success"],
  ["background", "warning"],
  ["success-quiet", "foreground"],
  ["warning-quiet", "warning"],
  ["danger-quiet", "destructive"],
  ["success-quiet", "success"],
  ["info-quiet", "primary"],
  ["card", "muted-foreground"],
  ["popover", "muted-foreground"],
  ["accent", "muted-foreground"],
] as const;
const shapes = [
  ["background", "input"],
  ["background", "ring"],
  ["background", "primary"],
  ["sidebar-background", "sidebar-ring"],
  ["card", "input"],
] as const;

describe.each([
  ["light", colorsOf(light)],
  ["dark", colorsOf(dark)],
])("the %s palette", (_name, colors) => {
  test.each(texts)("has readable text on %s: %s", (ground = "", text = "") => {
    expect(contrastOf(colors[ground] ?? "", colors[text] ?? "")).toBeGreaterThanOrEqual(4.5);
  });

  test.each(shapes)("has shapes that are visible on %s: %s", (ground, shape) => {
    expect(contrastOf(colors[ground] ?? "", colors[shape] ?? "")).toBeGreaterThanOrEqual(3);
  });
});

test("defines the same colours in the light and the dark palette", () => {
  expect(Object.keys(colorsOf(dark))).toEqual(Object.keys(colorsOf(light)));
});
