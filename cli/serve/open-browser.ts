import { spawn } from "node:child_process";

/** Whether a browser is to be opened: not where nobody could see it. */
export function mayOpenBrowser(env: NodeJS.ProcessEnv, platform = process.platform): boolean {
  if (env.BROWSER === "none" || (env.CI ?? "") !== "") return false;
  return platform !== "linux" || (env.DISPLAY ?? "") !== "" || (env.WAYLAND_DISPLAY ?? "") !== "";
}

/** Opens an address with `BROWSER`, else as the system does. Rejects when no program could be started. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [command, ...given] = commandOf(url, env.BROWSER);
  return new Promise((done, fail) => {
    const child = spawn(command, given, { stdio: "ignore", detached: true });
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
