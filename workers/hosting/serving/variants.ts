import type { ManifestFile } from "../../../schemas/hosting/manifest";
import { blobKey, variantKey, variantsKey } from "../files/keys";
import { loadManifest } from "../files/manifest";
import type { VariantList } from "../live/manifests";
import type { HostingServices } from "../services";
import { enqueueSteps } from "../step-message";
import { isCompressible } from "./names";
import { claimDueVariants, endVariants, findServedDeployment } from "./variant.store";

/** Sizes of the files that are compressed, in bytes. */
const MIN_BYTES = 256;
const MAX_BYTES = 1024 * 1024;
/** A variant must be at least a tenth smaller than its file. */
const MAX_RATIO = 0.9;

/** Maximum number of deployments whose variants one sweep requests. */
const MAX_DUE = 100;

/** Number of files per queue step, and of files that a step compresses at the same time. */
const FILES_PER_STEP = 250;
const PARALLEL = 4;

/**
 * Stores the gzip variants of the text files of a deployment, 250 files in a step, and the list of them. The step can be repeated: it
 * continues after the files of the stored list and keeps variants that exist. Requests the next step while files remain.
 */
export async function makeVariants(services: HostingServices, deploymentId: string, companyId: number): Promise<void> {
  const { files } = services;
  const db = services.dbOf(companyId);
  const deployment = { id: deploymentId, companyId };
  const isServed = (await db.first(findServedDeployment(deployment))) !== null;
  const manifest = isServed ? await loadManifest(services, { companyId, deploymentId }) : null;
  if (manifest === null) return;
  const key = variantsKey(companyId, deploymentId);
  const list: VariantList = (await (await files.get(key))?.json<VariantList>()) ?? {
    v: 1,
    gzip: {},
    done: 0,
    is_complete: false,
  };
  if (list.is_complete) {
    await db.run(endVariants(deployment));
    return;
  }
  const candidates = candidatesOf(Object.values(manifest.files));
  const step = candidates.slice(list.done, list.done + FILES_PER_STEP);
  const stored: string[] = [];
  for (let start = 0; start < step.length; start += PARALLEL) {
    await Promise.all(
      step.slice(start, start + PARALLEL).map(async (file) => {
        const variant = await storeVariant(services, companyId, file);
        if (variant === null) return;
        list.gzip[file.sha256] = variant.size;
        if (variant.isNew) stored.push(variantKey(companyId, file.sha256, "gzip"));
      }),
    );
  }
  const done = list.done + step.length;
  const next: VariantList = { ...list, done, is_complete: done === candidates.length };
  await files.put(key, JSON.stringify(next));
  const isStillServed = await db.first(next.is_complete ? endVariants(deployment) : findServedDeployment(deployment));
  // A deployment that was deleted in the meantime no longer protects its files, and the clean-up may have run already.
  if (isStillServed === null) await files.delete([key, ...stored]);
  else if (!next.is_complete) await enqueueSteps(services, "variants", [{ id: deploymentId, company_id: companyId }]);
}

/**
 * Requests the variants of deployments that do not have all of them a while after going live, because a queue message was lost. Called
 * by the sweep every minute.
 */
export async function enqueueDueVariants(services: HostingServices): Promise<void> {
  const due = await services.platformDb.all(claimDueVariants({ now: services.clock.now(), limit: MAX_DUE }));
  await enqueueSteps(services, "variants", due);
}

/** Returns the files that are worth compressing, one for each hash, in the order of their hashes. */
function candidatesOf(files: readonly ManifestFile[]): ManifestFile[] {
  const isCandidate = ({ size, type }: ManifestFile) => size >= MIN_BYTES && size <= MAX_BYTES && isCompressible(type);
  const distinct = new Map(files.filter(isCandidate).map((file) => [file.sha256, file]));
  return [...distinct.values()].toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}

/** Returns the variant of a file, which it stores unless it exists; null when compression saves too little or the file is gone. */
async function storeVariant(
  { files }: HostingServices,
  companyId: number,
  { sha256, size }: ManifestFile,
): Promise<{ size: number; isNew: boolean } | null> {
  const key = variantKey(companyId, sha256, "gzip");
  const existing = await files.head(key);
  if (existing !== null) return { size: existing.size, isNew: false };
  const blob = await files.get(blobKey(companyId, sha256));
  if (blob === null) return null;
  const bytes = await new Response(blob.body.pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  if (bytes.byteLength > size * MAX_RATIO) return null;
  await files.put(key, bytes);
  return { size: bytes.byteLength, isNew: true };
}
