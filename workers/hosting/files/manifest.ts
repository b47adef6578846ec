import type { Manifest, ManifestFile, ManifestFiles } from "../../../schemas/hosting/manifest";
import { Problem } from "../problem";
import type { HostingServices } from "../services";
import type { FileList } from "./blob.store";
import { manifestKey } from "./keys";

/** Returns the distinct files of a manifest with their sizes. */
export function distinctFiles(files: ManifestFiles): FileList {
  return [...new Map(Object.values(files).map(({ sha256, size }) => [sha256, size]))];
}

/** Returns the file at a path of a manifest, or null. Inherited keys such as `constructor` are no files. */
export const fileAt = (files: ManifestFiles, path: string): ManifestFile | null =>
  Object.hasOwn(files, path) ? (files[path] ?? null) : null;

type Location = { companyId: number; deploymentId: string };

/** Stores the manifest of a deployment. Throws 502 `storage_error`. */
export async function storeManifest(
  { files }: Pick<HostingServices, "files">,
  { companyId, deploymentId }: Location,
  manifest: Manifest,
): Promise<void> {
  try {
    await files.put(manifestKey(companyId, deploymentId), JSON.stringify(manifest));
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
}

/** Returns the manifest of a deployment; null before it has one. Throws 502 `storage_error`. */
export async function loadManifest(
  { files }: Pick<HostingServices, "files">,
  { companyId, deploymentId }: Location,
): Promise<Manifest | null> {
  try {
    const stored = await files.get(manifestKey(companyId, deploymentId));
    return stored === null ? null : await stored.json<Manifest>();
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
}
