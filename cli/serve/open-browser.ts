import { spawn } from "node:child_process";

/** Returns whether to open a browser: not in CI and not without a display. */
export function canOpenBrowser(env: NodeJS.ProcessEnv, platform = process.platform): boolean {
  if (env.BROWSER === "none" || (env.CI ?? "") !== "") return false;
  return platform !== "linux" || (env.DISPLAY ?? "") !== "" || (env.WAYLAND_DISPLAY ?? "") !== "";
}

/** Opens a URL with `BROWSER`, else with the system's default. Rejects when no program could be started. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [command, ...args] = commandOf(url, env.BROWSER);
  return new Promise((done, fail) => {
    const child = spawn(command, args, { stdio: "ignore", detached: true });
    child.once("error", fail);
    child.once("spawn", () => {
      child.unref();
      done();
    });
  });
}

function commandOf(url: string, browser: string | undefined): [string, ...string[]] {
  if (browser) return [browser, url];
  if (process.platform === "darwin") return ["open", url];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}
