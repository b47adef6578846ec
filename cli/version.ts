import { readFileSync } from "node:fs";

declare const PLATFORM_VERSION: string | undefined;

/** The version of the package. In the packed command it is a build-time constant. */
export const version: string = typeof PLATFORM_VERSION === "string" ? PLATFORM_VERSION : readVersion();

function readVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
