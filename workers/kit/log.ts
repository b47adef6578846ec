import { clock } from "./clock";

/**
 * The fields of a log line. Objects and errors are not allowed, because they could contain addresses, tokens or bodies.
 */
export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined };

/**
 * Writes one JSON line per call: an `info` line at the end of a request, queue batch or job run, otherwise only
 * warnings and errors. Messages are fixed texts; never log addresses, tokens, bodies or query strings.
 */
export type Log = {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Adds fields to the next `info` lines, such as the line at the end of a request. */
  note(fields: LogFields): void;
  /** Returns a log that adds these fields to every line. It does not share its notes with this log. */
  with(fields: LogFields): Log;
};

const RESERVED = new Set(["time", "level", "message"]);
const MAX_TEXT = 1000;

/** Creates a log whose lines all carry `context`, such as service and request_id. */
export function createLog(context: LogFields & { service: string }): Log {
  return build(context);
}

function build(context: LogFields): Log {
  let infoFields: LogFields = {};
  return {
    info: (message, fields) => console.log(format("info", message, context, { ...infoFields, ...fields })),
    note: (fields) => {
      infoFields = { ...infoFields, ...fields };
    },
    warn: (message, fields) => console.warn(format("warn", message, context, fields)),
    error: (message, fields) => console.error(format("error", message, context, fields)),
    with: (fields) => build({ ...context, ...fields }),
  };
}

function format(level: string, message: string, context: LogFields, fields: LogFields | undefined): string {
  const line: Record<string, unknown> = { time: new Date(clock.now()).toISOString(), level, message };
  for (const [name, value] of Object.entries({ ...context, ...fields })) {
    if (RESERVED.has(name)) continue;
    // The type allows only these values; this check stops objects that a cast lets through.
    if (typeof value === "string") line[name] = value.slice(0, MAX_TEXT);
    else if (typeof value === "number" || typeof value === "boolean" || value === null) line[name] = value;
  }
  return JSON.stringify(line);
}

/** Returns the name of a thrown value, which is safe to log; messages may quote input. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
