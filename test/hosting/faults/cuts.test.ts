import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { event_log, hosting_cleanups } from "../../../db/hosting/schema";
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

type Archives = Awaited<ReturnType<typeof startArchives>>;
type Bindings = ReturnType<typeof cutBindings>["bindings"] | Record<never, never>;

/** An app whose live deployment has `old` in `index.html`, after one with `older`. */
type World = { archives: Archives; app: string; old: string; older: string };

async function openWorld(): Promise<World> {
  const archives = await startArchives();
  const app = (await archives.createApp()).id;
  const older = await archives.deploy(app, { "index.html": "older", "older.js": "older" });
  const old = await archives.deploy(app, { "index.html": "old", "shared.js": "shared" });
  return { archives, app, old: old.id, older: older.id };
}

const newFiles = { "index.html": "new", "shared.js": "shared", "new.js": "new script", _headers: "/*\n  X-New: 1" };

/** An operation: `prepare` returns what `run` does once. `run` throws or returns a status; it is repeated until it returns `done`. */
type Operation = {
  prepare: (world: World) => Promise<(bindings: Bindings) => Promise<unknown>>;
  /** what `run` returns when it is done */
  done: unknown;
  /** the content of the live site in the end */
  live: string | null;
};

const status = async (response: Promise<Response>) => (await response).status;

const steps =
  (step: (built: ReturnType<typeof createServices>["services"]) => Promise<boolean>) => async (bindings: Bindings) => {
    const { services } = createServices(bindings);
    let wasRun = true;
    for (let count = 0; wasRun; count++) {
      if (count > 20) throw new Error("the steps do not end");
      wasRun = await step(services);
    }
    return "ended";
  };

async function startImport({ archives, app }: World, archive: Uint8Array) {
  const id = await archives.start(app, archive);
  return steps((services) => runImport(services, { id, company_id: archives.companyId }));
}

const operations: Record<string, Operation> = {
  "create a deployment": {
    prepare: async ({ archives, app }) => {
      const { manifest } = await siteOf(newFiles);
      return (bindings) =>
        status(archives.call(`apps/${app}/deployments`, { json: { app_version: "1.0.0", manifest }, bindings }));
    },
    done: 201,
    live: "old",
  },
  "upload a file": {
    prepare: async ({ archives, app }) => {
      const { site, created } = await archives.createDeployment(app, newFiles);
      const [sha256 = ""] = created.missing;
      const body = site.blobs.get(sha256) as BodyInit;
      const headers = { "content-length": String(site.blobs.get(sha256)?.length) };
      return async (bindings) => {
        const url = `apps/${app}/blobs/${sha256}`;
        const result = await status(archives.call(url, { method: "PUT", body, headers, bindings }));
        return result === 201 ? 200 : result;
      };
    },
    done: 200,
    live: "old",
  },
  "make a deployment live": {
    prepare: async ({ archives, app }) => {
      const { site, created } = await archives.createDeployment(app, newFiles);
      await archives.uploadMissing(app, site, created.missing);
      return (bindings) =>
        status(archives.call(`apps/${app}/deployments/${created.id}/finalize`, { method: "POST", bindings }));
    },
    done: 200,
    live: "new",
  },
  "roll back": {
    prepare:
      async ({ archives, app, older }) =>
      (bindings) =>
        status(archives.call(`apps/${app}/deployments/${older}/rollback`, { method: "POST", bindings })),
    done: 200,
    live: "older",
  },
  "delete a deployment": {
    prepare:
      async ({ archives, app, older }) =>
      async (bindings) => {
        const result = await status(archives.call(`apps/${app}/deployments/${older}`, { method: "DELETE", bindings }));
        return result === 204 ? 404 : result;
      },
    done: 404,
    live: "old",
  },
  "delete an app": {
    prepare:
      async ({ archives, app }) =>
      async (bindings) => {
        const result = await status(archives.call(`apps/${app}`, { method: "DELETE", bindings }));
        return result === 204 ? 404 : result;
      },
    done: 404,
    live: null,
  },
  "upload an archive": {
    prepare: async ({ archives, app }) => {
      const { id } = await archives.createDraft(app);
      const body = (await archiveOf(newFiles)) as BodyInit;
      return (bindings) =>
        status(archives.call(`apps/${app}/deployments/${id}/upload`, { method: "PUT", body, bindings }));
    },
    done: 200,
    live: "old",
  },
  "start an import": {
    prepare: async ({ archives, app }) => {
      const { id } = await archives.createDraft(app);
      await archives.upload(app, id, (await archiveOf(newFiles)) as BodyInit);
      return async (bindings) => {
        const result = await status(
          archives.call(`apps/${app}/deployments/${id}/finalize`, { method: "POST", bindings }),
        );
        if (result === 202) await archives.importAll(id);
        return result === 202 ? 200 : result;
      };
    },
    done: 200,
    live: "new",
  },
  "import an archive": {
    prepare: async (world) => startImport(world, await archiveOf(newFiles)),
    done: "ended",
    live: "new",
  },
  "import an invalid archive": {
    prepare: async (world) => startImport(world, await archiveOf({ "../index.html": "evil" })),
    done: "ended",
    live: "old",
  },
  "clean up": {
    prepare: async ({ archives, app, older }) => {
      const { companyId } = archives;
      await archives
        .createDeployment(app, newFiles)
        .then(({ site, created }) => archives.uploadMissing(app, site, created.missing));
      await archives.call(`apps/${app}/deployments/${older}`, { method: "DELETE" });
      const draft = await archives.createDraft(app);
      await archives.upload(app, draft.id, "archive");
      await archives.call(`apps/${app}/deployments/${draft.id}`, { method: "DELETE" });
      setClock(clock.now() + 30 * HOUR_MS);
      await updateRows(hosting_cleanups, { due_at: 1 }, eq(hosting_cleanups.company_id, companyId));
      return steps((services) => runCleanUp(services, companyId));
    },
    done: "ended",
    live: "old",
  },
};

const liveEvents = async (companyId: number) =>
  (await readRows(event_log, eq(event_log.company_id, companyId))).filter(({ event_type }) =>
    /deployment\.(?:succeeded|rolled_back|failed)$/.test(event_type),
  ).length;

async function checkCut(operation: Operation, cut: number): Promise<void> {
  restoreClock();
  const world = await openWorld();
  const { companyId } = world.archives;
  const run = await operation.prepare(world);
  const start = clock.now();
  await run(cutBindings(cut).bindings).catch(() => undefined);
  const live = await readLive(world.app);
  expect(["old", operation.live]).toContain(live);
  await expectComplete(companyId);
  // Leases of the invocation that died have ended.
  setClock(start + 3 * MINUTE_MS);
  expect(await run({})).toEqual(operation.done);
  expect(await readLive(world.app)).toBe(operation.live);
  const events = await liveEvents(companyId);
  await run({});
  expect(await liveEvents(companyId)).toBe(events);
  await expectCleanedUp(companyId, start);
  expect(await readLive(world.app)).toBe(operation.live);
}

describe("an invocation that dies at any call to D1 or R2", () => {
  it.each(Object.entries(operations))(
    "leaves the old or the new site, and can be repeated: %s",
    async (_name, operation) => {
      const world = await openWorld();
      const run = await operation.prepare(world);
      const { bindings, count } = cutBindings();
      expect(await run(bindings)).toEqual(operation.done);
      expect(count()).toBeGreaterThan(0);
      for (let cut = 0; cut <= count(); cut++) await checkCut(operation, cut);
    },
  );
});
