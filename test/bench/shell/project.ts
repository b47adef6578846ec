import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Addresses = { application: string; identity: string };

const items = ["Orders", "Reports", "Notes"];

/** Returns the configuration that the budgets refer to: a sidebar, five items and a backend. */
export function configText({ application, identity }: Addresses, home = "Home"): string {
  const path = (label: string) => label.toLowerCase();
  const config = {
    title: "Aster",
    layout: "sidebar",
    language: ["en", "fr"],
    navigation: [
      { label: home, path: "home", url: "/__welcome" },
      ...items.map((label) => ({ label, path: path(label), url: `${application}/${path(label)}` })),
      { label: "Settings", path: "settings", url: "/__settings", position: "end" },
    ],
    legalDocuments: { privacyPolicy: "# Privacy\n\nNothing is kept." },
    backend: { type: "platform", url: identity, companyId: 1, login: { methods: ["magic_link", "oauth"] } },
    storage: { url: identity },
  };
  return `export default ${JSON.stringify(config, null, 2)};\n`;
}

/** Creates a folder that contains only this configuration. */
export function makeProject(addresses: Addresses): { root: string; config: string; remove: () => void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "platform-bench-")));
  const config = join(root, "platform.config.ts");
  writeFileSync(config, configText(addresses));
  return { root, config, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) };
}
