import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ShellRecord } from "../../../cli/page/shell-files.ts";

const record: ShellRecord = {
  version: "1.2.3",
  entry: "assets/main-abcdefgh.js",
  initial: { scripts: ["assets/main-abcdefgh.js"], styles: ["assets/main-abcdefgh.css"] },
  layouts: { sidebar: { scripts: ["assets/sidebar-abcdefgh.js"], styles: [] } },
  languages: {},
  signIn: { login: { scripts: ["assets/login-abcdefgh.js"], styles: [] }, callback: { scripts: [], styles: [] } },
  adapters: {},
  boot: "document.documentElement.dataset.booted='';",
  critical: { sidebar: "body{margin:0}" },
  texts: {
    en: {
      "login.title": "Sign in",
      "page.description": "Everything of {title}",
      "worker.title": "No connection",
      "worker.text": "Offline",
      "worker.retry": "Try again",
    },
    fr: { "login.title": "Se connecter", "worker.title": "Pas de connexion" },
  },
  palettes: { light: { background: "#ffffff", foreground: "#111111" }, dark: { background: "#111111" } },
  favicon: "assets/favicon-abcdefgh.svg",
  icons: [{ path: "assets/icon-192-abcdefgh.png", size: 192, isMaskable: false }],
};

const files: Record<string, string> = {
  "shell.json": JSON.stringify(record),
  "skeleton.mjs":
    "export const renderSkeleton = (page) => '<main>' + page.config.navigation.length + ' entries</main>';",
  "sw.js": "const list = self.__WB_MANIFEST;",
  "offline.css": "body{margin:0}",
  "dev-client.js": "export {};",
  "assets/main-abcdefgh.js": "document.title = 'started';",
  "assets/main-abcdefgh.css": "",
  "assets/sidebar-abcdefgh.js": "",
  "assets/login-abcdefgh.js": "",
  "assets/favicon-abcdefgh.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
  "assets/icon-192-abcdefgh.png": "png",
};

/** Writes a minimal built shell for tests of the CLI. Returns its folder. */
export function writeShell(folder: string): string {
  mkdirSync(join(folder, "assets"), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return folder;
}
