import type { DeploymentRow } from "../../../db/hosting/schema";
import { artifactKey } from "../files/keys";
import type { HostingServices } from "../services";
import type { ImportLease } from "./lease";

/** The archive of a deployment is not in R2. */
export class ArtifactMissingError extends Error {
  override readonly name = "ArtifactMissingError";
}

/**
 * Yields the bytes of an uploaded archive and keeps the lease of the step meanwhile. Throws an ArtifactMissingError, and an Error when
 * R2 ends early.
 */
export async function* readArtifact(
  { files }: HostingServices,
  { id, company_id }: Pick<DeploymentRow, "id" | "company_id">,
  lease: ImportLease,
): AsyncGenerator<Uint8Array> {
  const object = await files.get(artifactKey(company_id, id));
  if (object === null) throw new ArtifactMissingError();
  const reader = object.body.getReader();
  let left = object.size;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      left -= next.value.length;
      yield next.value;
      await lease.keep();
    }
    // A truncated read must not count as a truncated archive.
    if (left > 0) throw new Error("the archive was not read to its end");
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
