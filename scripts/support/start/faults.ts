/** An error in the log of a Worker. `isNew`: the error was not reported before. */
type Fault = { text: string; isNew: boolean; isInvalidSetting: boolean };

type LogLine = { level?: unknown; service?: unknown; message?: unknown; cause?: unknown };

/**
 * Creates a reader of wrangler's output. `read` returns the fault in a line, or null if the line contains none. A fault of a
 * service is new only the first time, even if many isolates and requests log it. Call `forget` when settings change; each fault
 * is then new again.
 */
export function createFaultReader() {
  const reported = new Map<string, Set<string>>();
  return {
    read(line: string): Fault | null {
      const { level, service, message, cause } = logLineOf(line);
      // The edge may start before the services, so this message is expected.
      if (level !== "error" || typeof message !== "string" || message === "service unreachable") return null;
      const text = `${service}: ${message}${typeof cause === "string" ? ` (${cause})` : ""}`;
      // A service with invalid settings rejects requests. Its invalid settings are reported instead.
      const isConsequence = message === "request failed" && String(cause).endsWith("service_unavailable");
      const reportedTexts = reported.get(String(service)) ?? new Set();
      const isNew = !(isConsequence && reported.has(String(service))) && !reportedTexts.has(text);
      reported.set(String(service), reportedTexts);
      reportedTexts.add(text);
      return { text, isNew, isInvalidSetting: message.startsWith("invalid setting: ") };
    },
    hasReported: () => reported.size > 0,
    forget: () => {
      for (const texts of reported.values()) texts.clear();
    },
  };
}

/** Returns the JSON in a log line, without wrangler's decoration such as colours. Returns {} if there is no JSON. */
function logLineOf(line: string): LogLine {
  const json = /\{"time":.*\}/.exec(line)?.[0];
  try {
    return json === undefined ? {} : JSON.parse(json);
  } catch {
    return {};
  }
}
