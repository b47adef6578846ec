import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../cli/config/load.ts";
import { showFindings } from "../../support/cli/findings.ts";
import { type Files, makeProject } from "../../support/cli/project.ts";

// A configuration for every code in the table of findings, with the position that the finding reports.

type Case = { files: Files; root?: string; expected: string; command?: "start" | "build"; env?: NodeJS.ProcessEnv };

const ts = (body: string): Files => ({ "platform.config.ts": `export default {\n${body}\n};\n` });
const json = (body: string): Files => ({ "platform.config.json": `{\n${body}\n}\n` });
const item = (fields: string) => `  navigation: [\n    { label: "A", ${fields} },\n  ],`;
const secretKey = `x.${Buffer.from('{"role":"service_role"}').toString("base64url")}.y`;
const palettes = { light: { background: "#ffffff" }, dark: {} };
const texts = { "login.title": "Sign in", "login.send": "Send link" };

const cases: Record<string, Case> = {
  "config-not-found": { files: {}, expected: "platform.config.ts:1:1 error" },
  "config-not-found, both places are named": {
    files: { "app/": "" },
    root: "app",
    expected:
      "app/platform.config.ts:1:1 error config-not-found: No platform.config.ts or platform.config.json in app or",
  },
  "root-not-found": { files: {}, root: "nowhere", expected: "nowhere:1:1 error" },
  "root-not-found, of a file": {
    files: { nowhere: "" },
    root: "nowhere",
    expected: 'nowhere:1:1 error root-not-found: "nowhere" is a file. Pass the folder',
  },
  "config-conflict": { files: { ...ts(""), ...json("") }, expected: "platform.config.json:1:1 error" },
  "config-syntax": {
    files: ts("  title: = 5,"),
    expected: 'platform.config.ts:2:10 error config-syntax: Unexpected "=".',
  },
  "config-syntax, of JSON": { files: json('  "title": "A",\n'), expected: "platform.config.json:4:1 error" },
  "config-syntax, of an import that is not there": {
    files: { "platform.config.ts": 'import "./nav.ts";\nexport default {};\n' },
    expected: "platform.config.ts:1:8 error",
  },
  "config-throws": {
    files: {
      "platform.config.ts": 'import { nav } from "./lib/nav.ts";\nexport default { navigation: nav() };\n',
      "lib/nav.ts": "type A = string;\nexport function nav(): A[] {\n  throw new Error('no nav today');\n}\n",
    },
    expected: "lib/nav.ts:3:9 error config-throws: Error: no nav today.",
  },
  "config-throws, of a package that is not there": {
    files: {
      "platform.config.ts": 'const a = 1;\nimport x from "no-such-package";\nexport default { title: x + a };\n',
    },
    expected: "platform.config.ts:2:1 error config-throws: Error: Cannot find package 'no-such-package'.",
  },
  "config-throws, of an ended process": {
    files: ts("  title: process.exit(3),"),
    expected: "platform.config.ts:1:16 error",
  },
  "config-throws, of a promise that nobody waits for": {
    files: { "platform.config.ts": 'export default {};\nPromise.reject(new Error("later"));\n' },
    expected: "platform.config.ts:2:16 error config-throws: Error: later.",
  },
  "config-timeout": {
    files: { "platform.config.ts": "for (;;);\nexport default {};\n" },
    expected: "platform.config.ts:2:16 error",
  },
  "config-not-serializable": {
    files: ts('  title: "A",\n  startUrl: () => "/a",'),
    expected: "platform.config.ts:3:3 error config-not-serializable startUrl: It is a function",
  },
  "config-not-serializable, of a date": {
    files: ts("  messages: { en: { now: new Date() } },"),
    expected: "platform.config.ts:2:21 error config-not-serializable messages.en.now: It is a Date",
  },
  "config-not-serializable, of a cycle": {
    files: { "platform.config.ts": "const a: Record<string, unknown> = {};\na.embed = a;\nexport default a;\n" },
    expected: "platform.config.ts:1:36 error config-not-serializable embed: It is a cycle",
  },
  "unset-variable": {
    files: json(`  "title": "\${NO_SUCH_TITLE}"`),
    expected: "platform.config.json:2:12 error unset-variable title: NO_SUCH_TITLE",
  },
  "unknown-key": {
    files: ts('  titel: "A",'),
    expected: 'platform.config.ts:2:3 warning unknown-key titel: "titel" is not a known key. Did you mean "title"?',
  },
  "unknown-key, at depth": {
    files: ts(item('path: "a", url: "/__welcome", hiden: true')),
    expected:
      'platform.config.ts:3:49 warning unknown-key navigation[0].hiden: "hiden" is not a known key. Did you mean "hidden"?',
  },
  "wrong-type": {
    files: ts("  title: 5,"),
    expected: "platform.config.ts:2:10 error wrong-type title: It must be text of 1 to 100 characters, not 5.",
  },
  "missing-key": {
    files: ts(item('path: "a"')),
    expected: "platform.config.ts:3:5 error missing-key navigation[0].url:",
  },
  "missing-key, of a supabase key": {
    files: ts('  backend: { type: "supabase", url: "https://x.example.com" },'),
    expected: "platform.config.ts:2:12 error missing-key backend.publishableKey",
  },
  "invalid-value": {
    files: ts('  layout: "side",'),
    expected:
      'platform.config.ts:2:11 error invalid-value layout: It must be one of "sidebar", "app-bar", "fullscreen", "windows", not "side".',
  },
  "invalid-value, of a number": {
    files: ts("  port: 70000,"),
    expected: "platform.config.ts:2:9 error invalid-value port: It must be a whole number from 1 to 65535, not 70000.",
  },
  "invalid-value, of a path that leaves": {
    files: ts(item('path: "../a", url: "/__welcome"')),
    expected: "platform.config.ts:3:25 error",
  },
  "invalid-value, of a theme with the name of the shell's own": {
    files: ts('  themes: [{ name: "default", colors: { light: {}, dark: {} } }],'),
    expected:
      'platform.config.ts:2:20 error invalid-value themes[0].name: It must be a name of its own in a-z 0-9 -, at most 64, not "default".',
  },
  "duplicate-path": {
    files: ts(
      '  navigation: [\n    { label: "A", path: "/docs/", url: "/__welcome" },\n    { title: "G", items: [{ label: "B", path: "docs", url: "/__welcome" }] },\n  ],',
    ),
    expected:
      'platform.config.ts:4:47 error duplicate-path navigation[1].items[0].path: "docs" is already used at line 3.',
  },
  "reserved-path": { files: ts(item('path: "login/x", url: "/__welcome"')), expected: "platform.config.ts:3:25 error" },
  "reserved-path, of the administration": {
    files: ts(
      `${item('path: "admin", url: "/__welcome"')}\n  backend: { type: "platform", url: "https://a.example.com", companyId: 1, adminPathname: "/admin", adminUrl: "https://b.example.com" },`,
    ),
    expected: "platform.config.ts:3:25 error",
  },
  "static-conflict": {
    files: { ...ts(item('path: "docs", url: "/__welcome"')), "static/docs/index.html": "" },
    expected: "platform.config.ts:3:25 error static-conflict navigation[0].path",
  },
  "static-conflict, of a generated file": {
    files: { ...ts(""), "static/sw.js": "" },
    expected: "static/sw.js:1:1 error",
  },
  "static-conflict, of the page of a legal document": {
    files: {
      ...ts('  legalDocuments: { privacyPolicy: "We keep little." },'),
      "static/legal/privacy-policy/index.html": "",
    },
    expected: "static/legal/privacy-policy/index.html:1:1 error",
  },
  "static-conflict, of a file where the page of an item needs a folder": {
    files: { ...ts(item('path: "docs/a", url: "/__welcome"')), "static/docs": "" },
    expected: "platform.config.ts:3:25 error static-conflict navigation[0].path: static/docs",
  },
  "static-conflict, of a file where several pages need a folder": {
    files: { ...ts(""), "static/Login": "" },
    expected: "static/Login:1:1 error",
  },
  "static-conflict, of a file where the build has its scripts": {
    files: { ...ts(""), "static/assets": "" },
    expected: "static/assets:1:1 error",
  },
  "unsafe-url": { files: ts(item('path: "a", url: "javascript:alert(1)"')), expected: "platform.config.ts:3:35 error" },
  "missing-static-file, of a path with backslashes": {
    files: ts(item(String.raw`path: "a", url: "/__welcome", icon: "icons\\a.svg"`)),
    expected: "Separate folders with /: icons/a.svg",
  },
  "unsafe-url, of another host": {
    files: ts(item('path: "a", url: "//evil.example.com"')),
    expected: "platform.config.ts:3:35 error",
  },
  "unsafe-url, of credentials": {
    files: ts(item('path: "a", url: "https://u:p@a.example.com"')),
    expected: "platform.config.ts:3:35 error",
  },
  "unsafe-url, of the start": {
    files: ts('  startUrl: "//evil",'),
    expected:
      'platform.config.ts:2:13 error unsafe-url startUrl: It must be a path that begins with one /, not "//evil".',
  },
  "unsafe-url, of a service": {
    files: ts('  backend: { type: "platform", url: "file:///etc", companyId: 1 },'),
    expected: "platform.config.ts:2:37 error",
  },
  "unsafe-url, of a host that could end a rule of the policy": {
    files: ts('  security: { frameOrigins: ["https://a.example.com;script-src"] },'),
    expected: "platform.config.ts:2:30 error",
  },
  "unknown-theme": {
    files: ts('  themes: [{ name: "default" }],\n  defaultTheme: "night",'),
    expected: 'platform.config.ts:3:17 error unknown-theme defaultTheme: No theme is named "night"; there are default.',
  },
  "unknown-language": {
    files: ts('  language: ["en", "tlh"],'),
    expected: "platform.config.ts:2:20 error unknown-language language[1]",
  },
  "missing-company": {
    files: ts('  backend: { type: "platform", url: "https://a.example.com" },'),
    expected: "platform.config.ts:2:12 warning",
  },
  "missing-company, with oauth": {
    files: ts('  backend: { type: "platform", url: "https://a.example.com", login: { oauthProviders: ["github"] } },'),
    expected: "platform.config.ts:2:12 error",
  },
  "secret-in-config": {
    files: ts(`  backend: { type: "supabase", url: "https://a.example.com", publishableKey: "${secretKey}" },`),
    expected: "platform.config.ts:2:78 error",
  },
  "secret-in-config, of a variable": {
    files: json(`  "title": "\${MY_SECRET:-x}"`),
    expected: "platform.config.json:2:12 warning",
  },
  "insecure-trust": {
    files: ts(item('path: "a", url: "http://a.example.com", safeForAuthToken: true')),
    expected: "platform.config.ts:3:77 error",
  },
  "self-embed": { files: ts(item('path: "a", url: "/a"')), expected: "platform.config.ts:3:35 warning" },
  "admin-incomplete": {
    files: ts('  backend: { type: "platform", url: "https://a.example.com", companyId: 1, adminPathname: "admin" },'),
    expected: "platform.config.ts:2:91 warning",
  },
  "shared-origin-trust": {
    files: ts(
      '  navigation: [\n    { label: "A", path: "a", url: "https://a.example.com/1", shareUser: true },\n    { label: "B", path: "b", url: "https://a.example.com/2" },\n  ],',
    ),
    expected: "platform.config.ts:4:35 warning",
  },
  "same-origin-app": {
    files: { ...ts(item('path: "a", url: "/tool/"')), "static/tool/index.html": "" },
    expected: "platform.config.ts:3:35 warning",
  },
  "http-url": {
    files: ts(item('path: "a", url: "http://a.example.com"')),
    expected: "platform.config.ts:3:35 warning",
  },
  "trailing-slash": {
    files: ts('  storage: { url: "https://a.example.com/" },'),
    expected: "platform.config.ts:2:19 warning",
  },
  "missing-static-file": { files: ts('  favicon: "/no.svg",'), expected: "platform.config.ts:2:12 warning" },
  "panel-ignored": {
    files: ts(
      '  backend: { type: "platform", url: "https://a.example.com", companyId: 1, login: { panelUrl: "//evil" } },',
    ),
    expected: "platform.config.ts:2:95 warning",
  },
  "panel-ignored, of the own machine in a build": {
    command: "build",
    files: ts(
      '  backend: { type: "platform", url: "https://a.example.com", companyId: 1, login: { panelUrl: "http://localhost:1/" } },',
    ),
    expected: "platform.config.ts:2:95 warning",
  },
  "start-url-wins": {
    files: ts(`  startUrl: "/a",\n${item('path: "", url: "/__welcome"')}`),
    expected: "platform.config.ts:4:25 warning",
  },
  "layout-later": { files: ts('  layout: "windows",'), expected: "platform.config.ts:2:11 warning" },
  "low-contrast": {
    files: ts('  themes: [{ name: "x", colors: { light: { foreground: "#999" }, dark: {} } }],'),
    expected:
      "platform.config.ts:2:56 warning low-contrast themes[0].colors.light.foreground: foreground on background has a contrast of 2.8:1",
  },
  "missing-translation": {
    command: "build",
    files: ts('  language: ["en", "de"],\n  messages: { de: { "login.title": "Anmelden" } },'),
    expected: "platform.config.ts:3:15 warning missing-translation messages.de: 1 of 2 texts",
  },
};

describe("finding", { timeout: 30_000 }, () => {
  for (const [title, { files, root, expected, command = "start", env = process.env }] of Object.entries(cases)) {
    it.concurrent(title, async (context) => {
      const cwd = makeProject(context, files);
      const options = {
        root,
        cwd,
        command,
        env,
        target: "web",
        shell: { texts, palettes },
        evaluationLimitMs: 2000,
      } as const;
      const { findings, result } = await loadConfig(options);
      const code = title.replace(/,.*$/, "");
      const lines = showFindings(findings, cwd).filter((line) => line.includes(` ${code}`));
      expect(lines.join("\n") || showFindings(findings, cwd).join("\n")).toContain(expected);
      expect(lines).toHaveLength(1);
      expect(result === undefined).toBe(findings.some(({ level }) => level === "error"));
    });
  }
});

it.for(["port: NaN", "port: Infinity", "title: NaN"])(
  "reports a number that is not JSON once: %s",
  async (body, context) => {
    const cwd = makeProject(context, ts(`  ${body},`));
    const { findings } = await loadConfig({ cwd, command: "start", target: "web", env: process.env });
    expect(findings.map(({ code }) => code)).toEqual(["config-not-serializable"]);
  },
);
