import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { isFile } from "./find.ts";

export type Command = "start" | "build";
export type Target = "web" | "desktop";

/** Returns the environment for evaluating a configuration. Variables of `base` override those of `.env` in the root. */
export function readEnvironment(root: string, command: Command, base: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const file = join(root, ".env");
  const fileVariables = isFile(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  return {
    NODE_ENV: command === "build" ? "production" : "development",
    ...fileVariables,
    ...base,
    PLATFORM_BUILD: String(command === "build"),
  };
}
