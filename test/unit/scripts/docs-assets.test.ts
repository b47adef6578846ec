import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

let folder = "";
const asset = (name: string) => readFileSync(join(folder, name), "utf8");

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "docs-assets-"));
  const script = fileURLToPath(new URL("../../../scripts/generate-docs-assets.mjs", import.meta.url));
  execFileSync(process.execPath, [script, folder]);
  return () => rmSync(folder, { recursive: true, force: true });
});

describe("API pages", () => {
  it("load no images from Redoc's server", () => {
    expect(asset("redoc.standalone.js")).not.toMatch(/src:"https?:/);
  });

  it("do not send the schema URL to Swagger's validator", () => {
    expect(asset("swagger-start.js")).toContain("validatorUrl: null");
  });
});
