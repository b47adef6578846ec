/** A line of a Worker's log that reports an error, of a setting or other. `isNew`: it was not read before. */
type Fault = { text: string; isNew: boolean; isOfSetting: boolean };

type LogLine = { level?: unknown; service?: unknown; message?: unknown; cause?: unknown };

/**
 * Reads what wrangler prints: a fault of a service, such as a wrong setting, is new once, however many isolates and requests
 * repeat it, until it is forgotten because a setting has changed. Null for every other line.
 */
export function createFaultReader() {
  const told = new Map<string, Set<string>>();
  return {
    read(line: string): Fault | null {
      const { level, service, message, cause } = logLineOf(line);
      // That the edge came up before the others is no fault.
      if (level !== "error" || typeof message !== "string" || message === "service unreachable") return null;
      const text = `${service}: ${message}${typeof cause === "string" ? ` (${cause})` : ""}`;
      // A rejected request is a consequence of a reported error.
      const isFollowing = message === "request failed" && String(cause).endsWith("service_unavailable");
      const ofService = told.get(String(service)) ?? new Set();
      const isNew = !(isFollowing && told.has(String(service))) && !ofService.has(text);
      told.set(String(service), ofService);
      ofService.add(text);
      return { text, isNew, isOfSetting: message.startsWith("invalid setting: ") };
    },
    hasTold: () => told.size > 0,
    forget: () => {
      for (const texts of told.values()) texts.clear();
    },
  };
}

/** Returns the JSON in a log line without wrangler's decoration, such as colours; empty if there is none. */
function logLineOf(line: string): LogLine {
  const json = /\{"time":.*\}/.exec(line)?.[0];
  try {
    return json === undefined ? {} : JSON.parse(json);
  } catch {
    return {};
  }
}
