import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { hosting_deployments } from "../../../db/hosting/schema";
import { audit_log } from "../../../db/kit/audit";
import { artifactKey } from "../../../workers/hosting/files/keys";
import { clock } from "../../../workers/kit/clock";
import { PART_BYTES } from "../../../workers/kit/files/body";
import { archiveOf } from "../../support/hosting/archives";
import { testEnv } from "../../support/hosting/hosting";
import { setClock } from "../../support/hosting/steps";
import { startArchives } from "../../support/hosting/uploads";
import { restoreClock } from "../../support/restore";
import { readError } from "../../support/sibling/sibling";
import { readRows, updateRows } from "../../support/webhooks/rows";

afterEach(restoreClock);

const streamOf = (bytes: Uint8Array) => new Response(bytes as BodyInit).body as ReadableStream;

describe("PUT apps/{app}/deployments/{id}/upload", () => {
  it("stores a body, a stream without a length and the file of a form", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const archive = await archiveOf({ "index.html": "<p>hi" });
    const form = new FormData();
    form.append("file", new Blob([archive as BlobPart]), "site.tar.gz");
    const bodies: [BodyInit, number][] = [
      [archive as BodyInit, archive.length],
      [streamOf(archive), archive.length],
      [form, archive.length],
      [streamOf(new Uint8Array(PART_BYTES + 10)), PART_BYTES + 10],
    ];
    for (const [body, size] of bodies) {
      const { id } = await archives.createDraft(app.id);
      const response = await archives.upload(app.id, id, body);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ id, status: "ready", artifact_size: size, error: null });
      expect((await testEnv.FILES.head(artifactKey(archives.companyId, id)))?.size).toBe(size);
    }
    const entries = await readRows(audit_log, eq(audit_log.company_id, archives.companyId));
    expect(entries.filter(({ action }) => action === "deployment.uploaded")).toHaveLength(bodies.length);
  });

  it("replaces an archive until the deployment is finalized, but not a manifest", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const { id } = await archives.createDraft(app.id);
    expect((await archives.upload(app.id, id, "first")).status).toBe(200);
    const again = await archives.upload(app.id, id, "second!");
    expect(await again.json()).toMatchObject({ status: "ready", artifact_size: 7 });
    const { created } = await archives.createDeployment(app.id, { "index.html": "x" });
    expect(await readError(await archives.upload(app.id, created.id, "x"))).toEqual([409, "invalid_deployment_status"]);
    const live = await archives.deploy(app.id, { "index.html": "x" });
    expect(await readError(await archives.upload(app.id, live.id, "x"))).toEqual([409, "invalid_deployment_status"]);
  });

  it("rejects an archive that is too large, also when its length is a lie", async () => {
    const archives = await startArchives({ HOSTING_MAX_UPLOAD_BYTES: "1000" });
    const app = await archives.createApp();
    const { id } = await archives.createDraft(app.id);
    const tooLarge = [413, "upload_too_large"];
    const unread = new ReadableStream({
      pull: () => {
        throw new Error("the body was read");
      },
    });
    const declared = archives.upload(app.id, id, unread, { "content-length": "1001" });
    expect(await readError(await declared)).toEqual(tooLarge);
    expect(await readError(await archives.upload(app.id, id, streamOf(new Uint8Array(1001))))).toEqual(tooLarge);
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(1001)]), "site.tar.gz");
    expect(await readError(await archives.upload(app.id, id, form))).toEqual(tooLarge);
    const lie = await archives.upload(app.id, id, streamOf(new Uint8Array(2000)), { "content-length": "900" });
    expect(await readError(lie)).toEqual([400, "incomplete_body"]);
    expect(await readError(await archives.upload(app.id, id, ""))).toEqual([400, "validation_failed"]);
    expect(await archives.find(app.id, id)).toMatchObject({ status: "draft", artifact_size: null });
    expect(await testEnv.FILES.head(artifactKey(archives.companyId, id))).toBeNull();
    expect((await archives.upload(app.id, id, "x".repeat(1000))).status).toBe(200);
  });

  it("keeps the earlier archive when an upload fails", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const { id } = await archives.createDraft(app.id);
    await archives.upload(app.id, id, "first");
    const cut = await archives.upload(app.id, id, streamOf(new Uint8Array(5)), { "content-length": "10" });
    expect(await readError(cut)).toEqual([400, "incomplete_body"]);
    expect(await archives.find(app.id, id)).toMatchObject({ status: "ready", artifact_size: 5 });
    expect(await (await testEnv.FILES.get(artifactKey(archives.companyId, id)))?.text()).toBe("first");
  });

  it("accepts another upload when the lease of a killed one has ended", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const { id } = await archives.createDraft(app.id);
    const killed = { status: "uploading" as const, lease_token: "killed", lease_until: clock.now() + 50_000 };
    await updateRows(hosting_deployments, killed, eq(hosting_deployments.id, id));
    expect(await readError(await archives.upload(app.id, id, "x"))).toEqual([409, "invalid_deployment_status"]);
    expect(await readError(await archives.finalize(app.id, id))).toEqual([409, "invalid_deployment_status"]);
    setClock(clock.now() + 60_000);
    expect((await archives.upload(app.id, id, "x")).status).toBe(200);
  });

  it("asks to wait while a clean-up removes the files of a failed deployment", async () => {
    const archives = await startArchives();
    const app = await archives.createApp();
    const { id } = await archives.createDraft(app.id);
    const held = { status: "failed" as const, lease_token: "clean-up", lease_until: clock.now() + 50_000 };
    await updateRows(hosting_deployments, held, eq(hosting_deployments.id, id));
    const response = await archives.upload(app.id, id, "x");
    expect(response.headers.get("retry-after")).toBe("60");
    expect(await readError(response)).toEqual([503, "service_unavailable"]);
  });

  it("is 404 for another company, 403 without access and 429 beyond the rate", async () => {
    const archives = await startArchives({ HOSTING_UPLOAD_RATE_LIMIT: "2/min" });
    const other = await startArchives();
    const app = await archives.createApp();
    const { id } = await archives.createDraft(app.id);
    expect(await readError(await other.upload(app.id, id, "x"))).toEqual([404, "not_found"]);
    expect(await readError(await other.finalize(app.id, id))).toEqual([404, "not_found"]);
    for (const expected of [200, 200, 429]) expect((await archives.upload(app.id, id, "x")).status).toBe(expected);
  });
});
