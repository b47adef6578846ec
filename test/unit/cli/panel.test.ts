import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../cli/config/load.ts";
import { isTrustedPanel } from "../../../cli/config/rules/backend.ts";
import { makeProject } from "../../support/cli/project.ts";

const config = {
  backend: { type: "platform", url: "https://id.example/identity", loginUrl: "https://shell.example" },
  storage: { url: "https://storage.example", filesUrl: "https://files.example/app" },
};

describe("sign-in panel", () => {
  test.each([
    "/panel.html",
    "/",
    "/panel/?a=//evil.example#x",
    "/%2F%2Fevil.example",
    "/a//b",
    "/a\\b",
    "https://id.example/panel",
    "https://ID.example:443/x",
    "https://shell.example/#/y",
    "https://storage.example",
    "https://files.example/panel?x=1",
  ])("accepts the URL %j", (panel) => {
    expect(isTrustedPanel(panel, config, false)).toBe(true);
  });

  test.each([
    "",
    " ",
    "panel.html",
    "./panel.html",
    "?x",
    "#x",
    "//evil.example",
    "///evil.example",
    "////evil.example",
    "/\\evil.example",
    "/\\/evil.example",
    "\\/evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\t//evil.example",
    " /panel.html",
    "/panel\u0000.html",
    "\u0001/panel.html",
    "/\r\n/evil.example",
    "https://evil.example",
    "https://evil.example/id.example",
    "https://id.example.evil.example",
    "https://id.example@evil.example",
    "https://id.example:444/",
    "https://evil.example?https://id.example",
    "https://evil.example#@id.example",
    "https://evil.example\\@id.example",
    "https:evil.example",
    "https:/evil.example",
    "http://id.example",
    "http://storage.example",
    "ftp://id.example",
    "ws://id.example",
    "HTTPS://EVIL.example",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "about:blank",
    "blob:https://id.example/1",
    "filesystem:https://id.example/x",
    "file:///etc/passwd",
    "view-source:https://id.example",
    "https://user:secret@id.example/",
    "https://user@id.example/",
    "https://id.example.",
    "https://xn--d-yka.example",
    "http://localhost:5173",
    "http://127.0.0.1",
    "http://[::1]:80/",
  ])("ignores the URL %j", (panel) => {
    expect(isTrustedPanel(panel, config, false)).toBe(false);
  });

  test.each(["http://localhost:5173/x", "http://127.0.0.1", "http://[::1]:80/", "https://localhost"])(
    "accepts %s in the development server",
    (panel) => {
      expect(isTrustedPanel(panel, config, true)).toBe(true);
    },
  );

  test.each([
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://localhost@evil.example",
    "http://0x7f.1.evil.example",
  ])("ignores %s even in the development server", (panel) => {
    expect(isTrustedPanel(panel, config, true)).toBe(false);
  });

  test("removes an ignored URL from the page, falls back to the image and reports a finding", async (context) => {
    const login = { panelUrl: "//evil.example", panelImage: "https://images.example/a.jpg" };
    const backend = { type: "platform", url: "https://id.example", companyId: 1, login };
    const cwd = makeProject(context, { "platform.config.json": JSON.stringify({ backend }) });
    const shell = { texts: {}, palettes: { light: {}, dark: {} } };
    const { findings, result } = await loadConfig({
      root: undefined,
      cwd,
      command: "build",
      target: "web",
      env: {},
      shell,
    });
    expect(findings.map(({ code }) => code)).toEqual(["panel-ignored"]);
    expect(JSON.stringify(result?.page)).not.toContain("evil");
    expect(result?.page.backend?.login).toEqual({ panelImage: login.panelImage });
  });
});
