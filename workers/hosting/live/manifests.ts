import type { Manifest, ManifestFile, NotFound } from "../../../schemas/hosting/manifest";
import { errorName } from "../../kit/log";
import { MINUTE_MS } from "../../kit/time";
import { manifestKey, variantsKey } from "../files/keys";
import { type CompiledRules, compileRules } from "../rules/compiled-rules";
import { ruleFiles } from "../rules/warnings";
import type { HostingServices } from "../services";

/** The files and rules of a deployment, ready to serve. */
export type LoadedManifest = {
  /** the files by their path, without `_headers` and `_redirects` */
  files: ReadonlyMap<string, ManifestFile>;
  rules: CompiledRules;
  notFound: NotFound;
  /** sizes of the gzip variants by the SHA-256 of the file */
  variants: ReadonlyMap<string, number>;
  /** false until the queue has made all variants */
  hasAllVariants: boolean;
};

/**
 * The stored list of the variants of a deployment: the size of each by the SHA-256 of the file. `done` counts the files that were
 * considered so far.
 */
export type VariantList = { v: 1; gzip: Record<string, number>; done: number; is_complete: boolean };

type Entry = { manifest: LoadedManifest; bytes: number; variantsReadAt: number };

/** Maximum size of all manifests that an isolate keeps. A parsed manifest takes about twice the bytes of its text. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;

/** The manifests of this isolate by deployment, the least recently used one first. A stored manifest never changes. */
const cache = new Map<string, Entry>();
let cachedBytes = 0;

/** Returns the manifest of a deployment, or null when it is not stored. Reads R2 unless this isolate keeps the manifest. */
export async function loadManifest(
  services: HostingServices,
  { companyId, deploymentId }: { companyId: number; deploymentId: string },
): Promise<LoadedManifest | null> {
  const now = services.clock.now();
  const cached = cache.get(deploymentId);
  if (cached !== undefined) {
    cache.delete(deploymentId);
    cache.set(deploymentId, cached);
    if (!cached.manifest.hasAllVariants && now - cached.variantsReadAt >= MINUTE_MS) {
      cached.variantsReadAt = now;
      services.waitUntil(addVariants(services, companyId, deploymentId, cached.manifest));
    }
    return cached.manifest;
  }
  const [stored, variants] = await Promise.all([
    services.files.get(manifestKey(companyId, deploymentId)),
    readVariants(services, companyId, deploymentId),
  ]);
  if (stored === null) return null;
  const text = await stored.text();
  const { files, headers, redirects, not_found } = JSON.parse(text) as Manifest;
  const served = Object.entries(files).filter(([path]) => !ruleFiles.some((name) => name === path));
  const rules = compileRules({ headers, redirects });
  const manifest = { files: new Map(served), rules, notFound: not_found, ...variants };
  keep(deploymentId, { manifest, bytes: text.length * BYTES_PER_CHARACTER, variantsReadAt: now });
  return manifest;
}

function keep(deploymentId: string, entry: Entry): void {
  cachedBytes -= cache.get(deploymentId)?.bytes ?? 0;
  cache.delete(deploymentId);
  if (entry.bytes > MAX_CACHED_BYTES) return;
  for (const [oldest, { bytes }] of cache) {
    if (cachedBytes + entry.bytes <= MAX_CACHED_BYTES) break;
    cache.delete(oldest);
    cachedBytes -= bytes;
  }
  cache.set(deploymentId, entry);
  cachedBytes += entry.bytes;
}

async function addVariants(
  services: HostingServices,
  companyId: number,
  deploymentId: string,
  manifest: LoadedManifest,
): Promise<void> {
  Object.assign(manifest, await readVariants(services, companyId, deploymentId));
}

/** Returns the variants that exist so far. Files without a variant are served as they are. */
async function readVariants(
  { files, log }: HostingServices,
  companyId: number,
  deploymentId: string,
): Promise<Pick<LoadedManifest, "variants" | "hasAllVariants">> {
  try {
    const list = await (await files.get(variantsKey(companyId, deploymentId)))?.json<VariantList>();
    return { variants: new Map(Object.entries(list?.gzip ?? {})), hasAllVariants: list?.is_complete === true };
  } catch (error) {
    log.warn("variants not read", { cause: errorName(error) });
    return { variants: new Map(), hasAllVariants: false };
  }
}
