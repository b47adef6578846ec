import { hosting_blobs, hosting_deployments } from "../../../db/hosting/schema";
import type { Manifest, ManifestFiles } from "../../../schemas/hosting/manifest";
import { blobKey, manifestKey } from "../../../workers/hosting/files/keys";
import { clock } from "../../../workers/kit/clock";
import { bytesToHex, utf8ToBytes } from "../../../workers/kit/crypto/encoding";
import { uuid } from "../../../workers/kit/ids";
import { insertRows } from "../webhooks/rows";
import { testEnv } from "./hosting";

/** Returns the SHA-256 of bytes in hex. */
export async function sha256Of(bytes: Uint8Array | string): Promise<string> {
  const data = typeof bytes === "string" ? utf8ToBytes(bytes) : bytes;
  return bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", data as BufferSource)));
}

type BlobRow = typeof hosting_blobs.$inferInsert;

/** Stores a blob with its row and its R2 object, and returns its hash. `changes` override columns of the row. */
export async function storeBlob(companyId: number, text: string, changes: Partial<BlobRow> = {}): Promise<string> {
  const sha256 = await sha256Of(text);
  const now = clock.now();
  await testEnv.FILES.put(blobKey(companyId, sha256), text);
  const row = { company_id: companyId, sha256, size: text.length, touched_at: now, stored_at: now, removed_at: null };
  await insertRows(hosting_blobs, [{ ...row, ...changes }]);
  return sha256;
}

type DeploymentRow = typeof hosting_deployments.$inferInsert;

/** Stores the row of a deployment, and the manifest of `files` if there are any. Returns the id. */
export async function storeDeployment(
  companyId: number,
  files: ManifestFiles | null,
  changes: Partial<DeploymentRow> = {},
): Promise<string> {
  const id = uuid();
  const now = clock.now();
  const row: DeploymentRow = {
    id,
    app_id: uuid(),
    company_id: companyId,
    address: id.slice(0, 8),
    app_version: "1.0.0",
    shell_version: "",
    status: "active",
    pinned: false,
    message: "",
    not_found: "spa",
    deployed_by_id: 1,
    file_count: files === null ? null : Object.keys(files).length,
    warnings: [],
    created_at: now,
    updated_at: now,
  };
  await insertRows(hosting_deployments, [{ ...row, ...changes }]);
  if (files === null) return id;
  const manifest: Manifest = { v: 1, files, headers: [], redirects: [], not_found: "spa" };
  await testEnv.FILES.put(manifestKey(companyId, id), JSON.stringify(manifest));
  return id;
}

/** Returns the files of a manifest: one for each hash. */
export const filesOf = (...hashes: string[]): ManifestFiles =>
  Object.fromEntries(hashes.map((sha256, index) => [`f${index}.txt`, { sha256, size: 1, type: "text/plain" }]));

/** Returns the keys of the R2 objects of a company, sorted. */
export async function keysOfCompany(companyId: number): Promise<string[]> {
  const keys: string[] = [];
  for (const kind of ["blobs", "manifests", "artifacts"]) {
    for (let cursor: string | undefined; ; ) {
      const page = await testEnv.FILES.list({ prefix: `${kind}/${companyId}/`, ...(cursor ? { cursor } : {}) });
      keys.push(...page.objects.map(({ key }) => key));
      if (!page.truncated) break;
      cursor = page.cursor;
    }
  }
  return keys.sort();
}
