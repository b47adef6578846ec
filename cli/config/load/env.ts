import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { isFile } from "./find.ts";

export type Command = "start" | "build";
export type Target = "web" | "desktop";

/** The environment a configuration is evaluated in: that of the process, `.env` of the root beneath it, what the command says. */
export function readEnvironment(root: string, command: Command, base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const file = join(root, ".env");
  const own = isFile(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  return {
    NODE_ENV: command === "build" ? "production" : "development",
    ...own,
    ...base,
    PLATFORM_BUILD: String(command === "build"),
  };
}
