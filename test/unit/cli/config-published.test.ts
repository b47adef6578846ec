import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { collectFindings } from "../../../cli/config/findings.ts";
import { validateShape } from "../../../cli/config/validate.ts";
import type { ShellConfig as Published } from "../../../cli/published/config.d.ts";
import { type ShellConfigInput, shellConfig } from "../../../schemas/shell/config.ts";

const text = readFileSync(new URL("../../../cli/published/config.schema.json", import.meta.url), "utf8");
const published = z.fromJSONSchema(JSON.parse(text));

/** Returns whether the validator accepts a value without findings. */
function isAcceptedByValidator(value: unknown): boolean {
  const { findings, report } = collectFindings(() => ({ file: "x", line: 1, column: 1 }));
  validateShape(value, report, true);
  return findings.length === 0;
}

const item = { label: "A", path: "a", url: "/__welcome" };
const theme = { name: "x", colors: { light: {}, dark: {} } };
const values: [string, unknown, boolean][] = [
  ["nothing", {}, true],
  ["an item", { navigation: [item] }, true],
  ["a group in a group", { navigation: [{ title: "G", items: [{ title: { en: "H" }, items: [item] }] }] }, true],
  [
    "a group in a group in a group",
    { navigation: [{ title: "G", items: [{ title: "H", items: [{ title: "I", items: [item] }] }] }] },
    false,
  ],
  ["an item without a URL", { navigation: [{ label: "A", path: "a" }] }, false],
  ["a path with a space", { navigation: [{ ...item, path: "a b" }] }, false],
  ["a label in no language", { navigation: [{ ...item, label: {} }] }, false],
  ["a label in an invalid language", { navigation: [{ ...item, label: { english: "A" } }] }, false],
  ["an unknown key", { titel: "A" }, false],
  ["an unknown key of an item", { navigation: [{ ...item, hiden: true }] }, false],
  ["a port out of range", { port: 0 }, false],
  ["a port that is text", { port: "3000" }, false],
  ["a theme", { themes: [{ ...theme, colors: { light: { background: "#FFF", radius: "1px" }, dark: {} } }] }, true],
  ["a theme with the name of the built-in one", { themes: [{ ...theme, name: "default" }] }, false],
  ["an invalid colour", { themes: [{ ...theme, colors: { light: { background: "red" }, dark: {} } }] }, false],
  ["a backend", { backend: { type: "platform", url: "https://a.example.com", companyId: "7" } }, true],
  ["a backend on another scheme", { backend: { type: "platform", url: "ftp://a.example.com" } }, false],
  [
    "a company that is not a number",
    { backend: { type: "platform", url: "https://a.example.com", companyId: "x" } },
    false,
  ],
  ["no language", { language: [] }, false],
  ["documents in two languages", { legalDocuments: { privacyPolicy: { en: "# A", fr: { file: "p.md" } } } }, true],
  ["an origin with a path", { security: { frameOrigins: ["https://a.example.com/x"] } }, false],
];

describe("published configuration types", () => {
  for (const [title, value, expected] of values) {
    it(`agree with the validator about ${title}`, () => {
      expect({ schema: published.safeParse(value).success, validator: isAcceptedByValidator(value) }).toEqual({
        schema: expected,
        validator: expected,
      });
    });
  }

  it("accept every configuration that the schema accepts", () => {
    const pass = (input: ShellConfigInput): Published => input;
    expect(shellConfig.safeParse(pass({ title: "A" })).success).toBe(true);
  });
});
