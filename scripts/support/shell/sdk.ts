import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Puts the client library for embedded applications into `sdk/`, as its own build makes it. */
export async function buildSdk(repository: string, folder: string): Promise<void> {
  const script = join(repository, "shell/sdk/build.ts");
  if (!existsSync(script)) return;
  const module: unknown = await import(pathToFileURL(script).href);
  if (typeof module === "object" && module !== null && "buildSdk" in module && typeof module.buildSdk === "function") {
    await module.buildSdk(join(folder, "sdk"));
  } else if (existsSync(join(repository, "shell/sdk/dist"))) {
    await cp(join(repository, "shell/sdk/dist"), join(folder, "sdk"), { recursive: true });
  }
}
