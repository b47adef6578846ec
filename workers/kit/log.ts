import { clock } from "./clock";

/** What a log line may carry. Flat on purpose: an object or an error would bring addresses, tokens or bodies along. */
export type LogFields = { readonly [name: string]: string | number | boolean | null | undefined };

/**
 * Writes one JSON line for each call: an `info` line where a request, queue batch or run of a job ends, beside it warnings
 * and errors alone. Messages are fixed texts; never log addresses, tokens, bodies or query
 * strings.
 */
export type Log = {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Fields for the `info` line that is still to come. */
  note(fields: LogFields): void;
  /** A log whose lines carry these fields too, and which has notes of its own. */
  with(fields: LogFields): Log;
};

const RESERVED = new Set(["time", "level", "message"]);
const MAX_TEXT = 1000;

/** A log whose lines all carry `context`, such as service and request_id. */
export function createLog(context: LogFields & { service: string }): Log {
  return build(context);
}

function build(context: LogFields): Log {
  let noted: LogFields = {};
  return {
    info: (message, fields) => console.log(format("info", message, context, { ...noted, ...fields })),
    note: (fields) => {
      noted = { ...noted, ...fields };
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
    // The type says so too, but a cast must not put an object into the log.
    if (typeof value === "string") line[name] = value.slice(0, MAX_TEXT);
    else if (typeof value === "number" || typeof value === "boolean" || value === null) line[name] = value;
  }
  return JSON.stringify(line);
}

/** The name of a thrown value, safe to log: messages may quote input. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
