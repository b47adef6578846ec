import type { Logger } from "../types/full.ts";

/** Creates a console logger with a name. `debug` and `info` write only in developer mode. */
export function createLogger(name: string, isDeveloping: () => boolean): Logger {
  const write =
    (kind: keyof Logger, isAlways: boolean) =>
    (...parts: unknown[]): void => {
      if (isAlways || isDeveloping()) console[kind](`[${name}]`, ...parts);
    };
  return {
    debug: write("debug", false),
    info: write("info", false),
    warn: write("warn", true),
    error: write("error", true),
  };
}
