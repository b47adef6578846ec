import { and, eq, sql } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { hosting_cleanups, hosting_deployments } from "../../../db/hosting/schema";
import { runImport } from "../../../workers/hosting/archives/import";
import { runCleanUp } from "../../../workers/hosting/clean-up/clean-up";
import { clock } from "../../../workers/kit/clock";
import { HOUR_MS, MINUTE_MS } from "../../../workers/kit/time";
import { expectCleanedUp, expectComplete, readLive } from "../../support/hosting/agreement";
import { siteOf } from "../../support/hosting/apps";
import { archiveOf } from "../../support/hosting/archives";
import { cutBindings } from "../../support/hosting/cuts";
import { createServices, setClock } from "../../support/hosting/steps";
import { startArchives } from "../../support/hosting/uploads";
import { restoreClock } from "../../support/restore";
import { readRows, updateRows } from "../../support/webhooks/rows";

afterEach(restoreClock);

const STEPS = 40;
/** One of so many invocations lives to its end. */
const SURVIVES = 2;
const MAX_CALLS = 9;

/** Returns a generator of numbers below a limit, which depends only on the seed (mulberry32). */
function randomOf(seed: number) {
  let state = seed;
  return (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

it.each(Array.from({ length: 8 }, (_, index) => index + 1))(
  "keeps one complete live site through a random sequence of operations that die anywhere: seed %i",
  async (seed) => {
    const random = randomOf(seed);
    const archives = await startArchives({ HOSTING_MAX_DEPLOYMENTS_PER_APP: "4" });
    const { companyId, call } = archives;
    const app = (await archives.createApp()).id;
    await archives.deploy(app, { "index.html": "version 0", "shared.js": "shared" });
    const start = clock.now();
    const deployments = `apps/${app}/deployments`;
    const bindings = () => (random(SURVIVES) === 0 ? {} : cutBindings(random(MAX_CALLS + 1)).bindings);
    const ids = async (...states: string[]) =>
      (await readRows(hosting_deployments, eq(hosting_deployments.app_id, app)))
        .filter(({ status }) => states.includes(status))
        .map(({ id }) => id);
    const anyOf = (list: readonly string[]) => list[random(list.length)] ?? crypto.randomUUID();
    let version = 0;
    const newFiles = () => {
      version += 1;
      // Some files are in several versions, and some come back.
      return { "index.html": `version ${version}`, "shared.js": "shared", "part.js": `part ${version % 3}` };
    };
    const sites = new Map<string, Awaited<ReturnType<typeof siteOf>>>();
    const operations: (() => Promise<unknown>)[] = [
      async () => {
        const site = await siteOf(newFiles());
        const json = { app_version: "1.0.0", manifest: site.manifest };
        const created = await call(deployments, { json, bindings: bindings() });
        if (created.status === 201) sites.set(((await created.json()) as { id: string }).id, site);
      },
      async () => {
        const id = anyOf([...sites.keys()]);
        for (const [sha256, bytes] of sites.get(id)?.blobs ?? []) {
          const headers = { "content-length": String(bytes.length) };
          const init = { method: "PUT", headers, body: bytes as BodyInit, bindings: bindings() };
          await call(`apps/${app}/blobs/${sha256}`, init);
        }
        await call(`${deployments}/${id}/finalize`, { method: "POST", bindings: bindings() });
      },
      async () =>
        call(`${deployments}/${anyOf(await ids("superseded"))}/rollback`, { method: "POST", bindings: bindings() }),
      async () =>
        call(`${deployments}/${anyOf(await ids("superseded", "failed", "draft"))}`, {
          method: "DELETE",
          bindings: bindings(),
        }),
      async () => call(deployments, { json: { app_version: "1.0.0" }, bindings: bindings() }),
      async () => {
        const files: Record<string, string> = random(4) === 0 ? { "../evil": "x" } : newFiles();
        const body = (await archiveOf(files)) as BodyInit;
        const id = anyOf(await ids("draft", "ready", "failed", "uploading"));
        await call(`${deployments}/${id}/upload`, { method: "PUT", body, bindings: bindings() });
        await call(`${deployments}/${id}/finalize`, { method: "POST", bindings: bindings() });
      },
      async () => {
        for (const id of await ids("extracting")) {
          await runImport(createServices(bindings()).services, { id, company_id: companyId });
        }
      },
      async () => {
        // Only between clean-ups: a request during one is known by its later due time.
        const isIdle = and(eq(hosting_cleanups.company_id, companyId), eq(hosting_cleanups.position, ""));
        await updateRows(hosting_cleanups, { due_at: 1 }, isIdle ?? sql`false`);
        for (let steps = 0; steps < 5; steps++) await runCleanUp(createServices(bindings()).services, companyId);
      },
    ];
    let now = start;
    for (let step = 0; step < STEPS; step++) {
      // Requests need a valid token, so the clock of requests stays near the start; steps run hours later now and then.
      now += MINUTE_MS;
      const isStep = random(3) === 0;
      const choice = isStep ? 6 + random(2) : random(6);
      setClock(isStep && choice === 7 ? now + random(30) * HOUR_MS : now);
      await operations[choice]?.().catch(() => undefined);
      setClock(now);
      await expectComplete(companyId);
      expect(await readLive(app)).toMatch(/^version \d+$/);
    }
    for (let round = 0; round < 5; round++) {
      now += 3 * MINUTE_MS;
      setClock(now);
      for (const id of await ids("extracting")) await archives.importAll(id);
    }
    expect(await ids("extracting")).toEqual([]);
    await expectCleanedUp(companyId, now + 24 * HOUR_MS);
    expect(await readLive(app)).toMatch(/^version \d+$/);
  },
);
