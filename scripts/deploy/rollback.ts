import { type Worker, workers } from "../support/services.ts";
import { type Existing, messageAnnotation, readExisting } from "./cloudflare/existing.ts";
import { configsOf } from "./config.ts";
import { confirmed, requireRecord, type Surroundings } from "./deploy.ts";
import type { Options } from "./options.ts";
import { deployOrder, placeholderMessage, scriptPath } from "./steps/workers.ts";

type Deployments = NonNullable<ReturnType<Existing["workers"]["get"]>>["deployments"];
type Change = { worker: Worker; version: string | undefined };

const messageOf = (deployment: Deployments[number] | undefined): string =>
  deployment?.annotations?.[messageAnnotation] ?? "";

/** Returns the last deployment of a Worker by this command. Those of `wrangler` and of a rotation have other messages. */
const ownDeployment = (deployments: Deployments | undefined) =>
  deployments?.find((deployment) => /^(deploy|rollback of) /.test(messageOf(deployment)));

/** Returns the id of the last run that deployed a Worker, or null. Ids are times, so the last one is the greatest. */
function lastRun(existing: Existing): string | null {
  const messages = workers.map((worker) => messageOf(ownDeployment(existing.workers.get(worker)?.deployments)));
  const ids = messages.flatMap((message) => /^deploy (\S+)$/.exec(message)?.[1] ?? []);
  return ids.toSorted().at(-1) ?? null;
}

/** Returns the version that got most requests before a run, or undefined if the run created the Worker. */
function versionBefore(deployments: Deployments, run: string): string | undefined {
  const others = [`deploy ${run}`, placeholderMessage];
  const former = deployments.find((deployment) => !others.includes(messageOf(deployment)));
  return former?.versions.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id;
}

/** Throws if a Worker was deployed after the run by something else, such as a rotation of secrets: a version has its secrets. */
function requireSameSecrets(existing: Existing, changes: readonly Change[], run: string): void {
  const changed = changes.filter(({ worker, version }) => {
    const deployments = existing.workers.get(worker)?.deployments;
    return version !== undefined && deployments?.[0] !== ownDeployment(deployments);
  });
  if (changed.length === 0) return;
  throw new Error(
    `Nothing was changed. After the run of ${run}, the secrets or the code of ${changed.map(({ worker }) => worker).join(", ")} ` +
      "were changed in another way, such as platform rotate or npx wrangler secret put. The versions from before have the former " +
      "secrets. To go back, check out the earlier commit and run npm run deploy, which keeps the secrets.",
  );
}

/**
 * Restores the versions of the Workers from before the last run, in the reverse order of the deployment. Can be repeated. The
 * databases keep their migrations, which only add. Returns false if the user does not confirm.
 */
export async function rollBack(options: Options, at: Surroundings): Promise<boolean> {
  const record = requireRecord(options, at);
  const configs = configsOf(record);
  const existing = await readExisting(at.api, record, configs);
  const run = lastRun(existing);
  if (run === null) throw new Error("Nothing to roll back: no Worker runs a version of a run of npm run deploy.");
  const changes = deployOrder.toReversed().flatMap((worker): Change[] => {
    const deployments = existing.workers.get(worker)?.deployments ?? [];
    const isPart = messageOf(ownDeployment(deployments)) === `deploy ${run}`;
    return isPart ? [{ worker, version: versionBefore(deployments, run) }] : [];
  });
  if (changes.every(({ version }) => version === undefined)) {
    throw new Error(`Nothing to roll back: the run of ${run} created the Workers.`);
  }
  requireSameSecrets(existing, changes, run);
  at.say(`Rolls back the run of ${run} in ${record.zone.name}`);
  for (const { worker, version } of changes) {
    at.say(
      `  ${configs[worker].name}: ${version === undefined ? "stays, because that run created it" : `to version ${version}`}`,
    );
  }
  if (!(await confirmed(options, at))) return false;
  for (const { worker, version } of changes) {
    if (version === undefined) continue;
    const json = {
      strategy: "percentage",
      versions: [{ version_id: version, percentage: 100 }],
      annotations: { [messageAnnotation]: `rollback of ${run}` },
    };
    await at.api.call("POST", `${scriptPath({ record, configs }, worker)}/deployments`, { json });
    at.say(`  ${configs[worker].name}: restored`);
  }
  return true;
}
