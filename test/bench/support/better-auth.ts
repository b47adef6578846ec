import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../", import.meta.url));

/**
 * Installs the packages that test/bench/package.json pins, unless they are installed. The repository's `npm ci` does
 * not install them.
 */
export async function installBetterAuth(): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as {
    dependencies: Record<string, string>;
  };
  const isInstalled = Object.entries(dependencies).every(([name, version]) => {
    const path = `${folder}node_modules/${name}/package.json`;
    return existsSync(path) && (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version === version;
  });
  if (isInstalled) return;
  console.log("npm ci in test/bench");
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error("npm ci in test/bench failed");
}
