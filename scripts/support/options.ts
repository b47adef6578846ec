import { resolve } from "node:path";
import { parseArgs } from "node:util";

/** The options of `npm start`. `state` is the folder for data and settings, or null for `.wrangler` in this repository. */
export type StartOptions = {
  port: number;
  shellPort: number;
  mailPort: number;
  smtpPort: number;
  state: string | null;
  reset: boolean;
};

/** Returns the ports by option name. */
export function portsOf(options: StartOptions): Record<string, number> {
  const { port, shellPort, mailPort, smtpPort } = options;
  return {
    "--port": port,
    "--shell-port": shellPort,
    "--mail-port": mailPort,
    "--smtp-port": smtpPort,
  };
}

export const usage = `npm start -- [options]
  --port <n>        services and apps (8787)
  --shell-port <n>  the shell of examples/ (3000)
  --mail-port <n>   web inbox (1080)
  --smtp-port <n>   SMTP server of the inbox (1025)
  --state <dir>     keep data and settings in this folder instead of .wrangler/state and .wrangler/start
  --reset           start with empty databases and an empty inbox; keep the secrets`;

/** Parses the command line. Throws an Error with a one-line message. Returns null for --help. */
export function parseOptions(args: string[]): StartOptions | null {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "8787" },
      "shell-port": { type: "string", default: "3000" },
      "mail-port": { type: "string", default: "1080" },
      "smtp-port": { type: "string", default: "1025" },
      state: { type: "string" },
      reset: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const options: StartOptions = {
    port: parsePort("--port", values.port),
    shellPort: parsePort("--shell-port", values["shell-port"]),
    mailPort: parsePort("--mail-port", values["mail-port"]),
    smtpPort: parsePort("--smtp-port", values["smtp-port"]),
    state: values.state === undefined ? null : resolve(values.state),
    reset: values.reset,
  };
  const ports = Object.entries(portsOf(options));
  for (const [index, [name, port]] of ports.entries()) {
    const other = ports.slice(0, index).find(([, otherPort]) => otherPort === port);
    if (other !== undefined) throw new Error(`${other[0]} and ${name} must differ, not both be ${port}.`);
  }
  return options;
}

function parsePort(name: string, text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) throw new Error(`${name} takes a port number, not "${text}".`);
  return port;
}
