// `npm run settings` writes docs/settings.md from the settings.ts of each Worker; `--check` only compares.
import type { Setting } from "../workers/kit/settings/settings.ts";
import { markdownTable, writeOrCheck } from "./support/generated-markdown.ts";
import { services, type Worker, workers } from "./support/services.ts";
import { loadSettings } from "./support/settings-tables.ts";

const head = `# Settings

Written by \`npm run settings\` from the \`settings.ts\` of each Worker.

Variables stand under \`[vars]\` in the \`wrangler.toml\` beside each Worker, secrets come from \`wrangler secret\`. What is not set
has its default. A missing or malformed one is named in the log, and all routes but health answer 503; in hosting and storage health
does too.

In development \`npm start\` keeps the settings of each Worker in \`.wrangler/start/<worker>/.dev.vars\`, where nothing but a start
looks. What you change there stays, and a start that runs takes it over at once; addresses and ports are written anew at each start.

A duration is a number of seconds or has a unit: \`30s\`, \`5m\`, \`1.5h\`, \`7d\`. A rate is \`10/min\`, also by \`s\` or \`h\`, or
by several of them: \`5/10min\`. A size is a number of bytes or has a binary unit: \`64K\`, \`95M\`, \`10G\`, \`1T\`. With \`DEBUG\` a URL
may be http, and a rate may be \`off\`. Secrets that are *made* come from \`npm start\` in development and from
\`npm run deploy:prepare\` for a deployment.
`;

const foot = `
## Bindings

Services have a broker when \`BROKER\` (locks and heartbeat of the scheduled jobs), \`WEBHOOKS_QUEUE\` and \`SERVICE_QUEUE\` are bound,
as each \`wrangler.toml\` does. Without one of them every request is answered with 503, health included, and cron and queues do
nothing. With \`DEBUG\` the service works all the same, but runs no jobs unless \`JOBS_BROKER\` is bound: another namespace for
locks and heartbeat, which is taken before \`BROKER\` wherever it is bound.

Storage keeps the bytes of objects in the R2 bucket that is bound as \`OBJECTS\`.
`;

const names = new Intl.ListFormat("en-GB");

/** Those of the same name and meaning are one, however many Workers have it. */
const keyOf = ({ name, meaning }: Setting): string => `${name} ${meaning}`;

/** Settings by the Workers that have them: those of most Workers first, then in the order of the Workers. */
function groupSettings(settings: Record<Worker, Setting[]>): Map<string, Setting[]> {
  const groups = new Map<string, Setting[]>();
  const seen = new Set<string>();
  for (const setting of [...services, "edge" as const].flatMap((worker) => settings[worker])) {
    if (seen.has(keyOf(setting))) continue;
    seen.add(keyOf(setting));
    const owners = workers.filter((worker) => settings[worker].some((other) => keyOf(other) === keyOf(setting)));
    const title = owners.length === services.length ? "Every service" : names.format(owners);
    groups.set(title, [...(groups.get(title) ?? []), setting]);
  }
  return groups;
}

function cellsOf({ name, type, default: fallback, meaning, secret }: Setting): string[] {
  const kind = secret === undefined ? "" : secret === "given" ? " (secret)" : " (secret, made)";
  const shown = typeof fallback === "string" ? fallback && `\`${fallback}\`` : fallback?.shown;
  return [`\`${name}\`${kind}`, shown || "none", type({ debug: false }).description ?? "", meaning];
}

const columns = ["Setting", "Default", "Allowed", "Meaning"];

const sectionOf = ([title, settings]: [string, Setting[]]): string =>
  `\n## ${title}\n\n${markdownTable(columns, settings.map(cellsOf))}`;

const text = head + [...groupSettings(await loadSettings())].map(sectionOf).join("") + foot;
writeOrCheck("docs/settings.md", text, "settings");
