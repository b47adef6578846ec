/** A compressed variant of a blob, by the value of its `Content-Encoding`. */
export type VariantEncoding = "gzip" | "br";

/** Returns the R2 key of a file of a company, by its SHA-256 in hex. */
export const blobKey = (companyId: number, sha256: string): string => `blobs/${companyId}/${sha256}`;

/** Returns the R2 key of a compressed variant of a blob. */
export const variantKey = (companyId: number, sha256: string, encoding: VariantEncoding): string =>
  `${blobKey(companyId, sha256)}.${encoding}`;

/** Returns the prefix of the R2 keys of a company's manifests and lists of variants, which continue with the id of the deployment. */
export const manifestPrefix = (companyId: number): string => `manifests/${companyId}/`;

/** Returns the R2 key of the manifest of a deployment. */
export const manifestKey = (companyId: number, deploymentId: string): string =>
  `${manifestPrefix(companyId)}${deploymentId}.json`;

/** Returns the R2 key of the list of variants that the queue made for a live deployment. */
export const variantsKey = (companyId: number, deploymentId: string): string =>
  `${manifestPrefix(companyId)}${deploymentId}.variants.json`;

/** Returns the prefix of the R2 keys of a company's uploaded archives, which continue with the id of the deployment. */
export const artifactPrefix = (companyId: number): string => `artifacts/${companyId}/`;

/** Returns the R2 key of the uploaded archive of a deployment. */
export const artifactKey = (companyId: number, deploymentId: string): string =>
  `${artifactPrefix(companyId)}${deploymentId}`;
