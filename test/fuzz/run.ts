// `npm run fuzz` starts the platform. Schemathesis reads the OpenAPI documents of each service and sends requests that
// the document allows and requests that it forbids. The hosts of apps, which have no document, get random requests. Exits
// with 1 for a finding, and with 2 if Python is not available.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { startChild, stopChildren } from "../../scripts/support/processes/children.ts";
import { findFreePort } from "../../scripts/support/processes/ports.ts";
import { waitFor } from "../../scripts/support/processes/wait.ts";
import { type Service, services } from "../../scripts/support/services.ts";
import { NoPython } from "../support/python.ts";
import { prepareContext, writeFuzzSettings } from "./platform.ts";
import { preparePrograms, runAppHosts, runSchemathesis } from "./schemathesis.ts";

const usage = `npm run fuzz -- [options]
  --service <name>  one service instead of all
  --seed <n>        of a run that is to be repeated; without it, one is chosen and printed
  --examples <n>    calls per operation of what is random (20)
  --seconds <n>     longest time for one document, and for the hosts of apps (140)`;

const APP_HOSTS = "the hosts of apps";

/** The parts of a run for a service: the paths of its OpenAPI documents, and the hosts of apps. */
function partsOf(service: Service): string[] {
  if (service === "hosting") return [APP_HOSTS, "/api/schema/"];
  return service === "identity" ? ["/api/schema/", "/api/schema/scim.json"] : ["/api/schema/"];
}

type Options = { parts: { service: Service; part: string }[]; seed: number; examples: number; seconds: number };

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      service: { type: "string" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
      examples: { type: "string", default: "20" },
      seconds: { type: "string", default: "140" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const selectedServices = services.filter((name) => values.service === undefined || name === values.service);
  const parts = selectedServices.flatMap((service) => partsOf(service).map((part) => ({ service, part })));
  const [seed, examples, seconds] = [values.seed, values.examples, values.seconds].map(Number);
  if (parts.length === 0 || ![seed, examples, seconds].every((n) => Number.isSafeInteger(n) && Number(n) >= 0)) {
    throw new Error(usage);
  }
  return { parts, seed: seed ?? 0, examples: examples ?? 0, seconds: seconds ?? 0 };
}

/** Starts a separate platform, runs the parts in sequence, and returns the number of parts with findings. */
async function fuzz(programs: string, { parts, ...bounds }: Options): Promise<number> {
  const state = mkdtempSync(join(tmpdir(), "platform-fuzz-"));
  try {
    const [port, shellPort, smtpPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const resolverPort = await findFreePort();
    const operatorKey = await writeFuzzSettings(state, { port, shellPort, smtpPort }, resolverPort);
    const others = ["--mail-port", await findFreePort()];
    const ports = ["--port", port, "--shell-port", shellPort, "--smtp-port", smtpPort, ...others].map(String);
    const start = startChild("scripts/start.ts", [...ports, "--state", state]);
    await waitFor("The platform", start, async () => start.output().includes("Ctrl-C"));
    const base = `http://localhost:${port}`;
    const context = join(state, "context.json");
    const values = await prepareContext(base, operatorKey, resolverPort);
    writeFileSync(context, JSON.stringify(values), { mode: 0o600 });
    const run = { ...bounds, context, state };
    let failed = 0;
    for (const { service, part } of parts) {
      const { seed, examples, seconds } = bounds;
      console.log(`\n${service}, ${part}: seed ${seed}, ${examples} examples, at most ${seconds} s`);
      const code =
        part === APP_HOSTS
          ? await runAppHosts(programs, run)
          : await runSchemathesis(programs, { ...run, url: `${base}/${service}`, document: part });
      if (code !== 0) failed += 1;
    }
    const ended = once(start.process, "exit", { signal: AbortSignal.timeout(30_000) });
    start.process.kill("SIGTERM");
    await ended;
    return failed;
  } finally {
    await stopChildren();
    rmSync(state, { recursive: true, force: true });
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void stopChildren().then(() => process.exit(130)));
}
try {
  const options = readOptions(process.argv.slice(2));
  if (options === null) console.log(usage);
  else {
    const failed = await fuzz(await preparePrograms(), options);
    console.log(failed === 0 ? "\nNothing found." : `\nFindings in ${failed} of ${options.parts.length} parts.`);
    if (failed > 0) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof NoPython ? 2 : 1;
}
