import { resolve } from "node:path";
import { parseArgs } from "node:util";

/** What `npm start` may be told. `state` is null for the data and settings in this folder. */
export type StartOptions = { port: number; mailPort: number; smtpPort: number; state: string | null; reset: boolean };

export const usage = `npm start -- [options]
  --port <n>       sign-in page and services (8787)
  --mail-port <n>  web inbox (1080)
  --smtp-port <n>  SMTP server of the inbox (1025)
  --state <dir>    keep data and settings in this folder instead of .wrangler/state and .wrangler/start
  --reset          begin with an empty database and inbox; secrets stay`;

/** Reads the command line; throws an Error with one line for a person. Null: help was asked for. */
export function parseOptions(args: string[]): StartOptions | null {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "8787" },
      "mail-port": { type: "string", default: "1080" },
      "smtp-port": { type: "string", default: "1025" },
      state: { type: "string" },
      reset: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const port = parsePort("--port", values.port);
  const mailPort = parsePort("--mail-port", values["mail-port"]);
  const smtpPort = parsePort("--smtp-port", values["smtp-port"]);
  if (new Set([port, mailPort, smtpPort]).size < 3) {
    throw new Error(`--port, --mail-port and --smtp-port must differ, not ${port}, ${mailPort} and ${smtpPort}.`);
  }
  return {
    port,
    mailPort,
    smtpPort,
    state: values.state === undefined ? null : resolve(values.state),
    reset: values.reset,
  };
}

function parsePort(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw new Error(`${name} takes a port number, not "${text}".`);
  return port;
}
