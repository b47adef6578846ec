import type { DeploymentRow } from "../../../db/hosting/schema";
import type { ManifestFiles } from "../../../schemas/hosting/manifest";
import { fileAt, loadManifest } from "../files/manifest";
import { Problem } from "../problem";
import type { HostingServices } from "../services";

/** Returns the files that differ between two deployments, by path. Throws 409 for a deployment without a manifest. */
export async function diffDeployments(services: HostingServices, before: DeploymentRow, after: DeploymentRow) {
  const [oldFiles, newFiles] = await Promise.all([filesOf(services, before), filesOf(services, after)]);
  const added: { path: string; size: number }[] = [];
  const changed: { path: string; size: number; previous_size: number }[] = [];
  for (const path of sortedPaths(newFiles)) {
    const file = fileAt(newFiles, path);
    const previous = fileAt(oldFiles, path);
    if (file === null) continue;
    if (previous === null) added.push({ path, size: file.size });
    else if (previous.sha256 !== file.sha256) changed.push({ path, size: file.size, previous_size: previous.size });
  }
  const removed = sortedPaths(oldFiles)
    .filter((path) => fileAt(newFiles, path) === null)
    .map((path) => ({ path, size: fileAt(oldFiles, path)?.size ?? 0 }));
  return { added, changed, removed };
}

const sortedPaths = (files: ManifestFiles): string[] => Object.keys(files).sort();

async function filesOf(services: HostingServices, { id, company_id }: DeploymentRow): Promise<ManifestFiles> {
  const manifest = await loadManifest(services, { companyId: company_id, deploymentId: id });
  if (manifest === null) throw new Problem("invalid_deployment_status");
  return manifest.files;
}
