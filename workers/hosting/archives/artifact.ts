import type { DeploymentRow } from "../../../db/hosting/schema";
import { artifactKey } from "../files/keys";
import type { HostingServices } from "../services";
import type { ImportLease } from "./lease";

const READ_BYTES = 64 * 1024;

/** The archive of a deployment is not in R2. */
export class ArtifactMissingError extends Error {
  override readonly name = "ArtifactMissingError";
}

/**
 * Yields the bytes of an uploaded archive and keeps the lease of the step meanwhile. A chunk is valid until the next one. Throws an ArtifactMissingError, and an Error when
 * R2 ends early.
 */
export async function* readArtifact(
  { files }: HostingServices,
  { id, company_id }: Pick<DeploymentRow, "id" | "company_id">,
  lease: ImportLease,
): AsyncGenerator<Uint8Array> {
  const object = await files.get(artifactKey(company_id, id));
  if (object === null) throw new ArtifactMissingError();
  const reader = object.body.getReader({ mode: "byob" });
  let left = object.size;
  try {
    // One buffer for the whole archive: new ones would wait for the collector and fill the isolate's memory.
    for (let buffer = new ArrayBuffer(READ_BYTES); ; ) {
      const { value } = await reader.read(new Uint8Array(buffer));
      if (value === undefined || value.length === 0) break;
      left -= value.length;
      yield value;
      await lease.keep();
      buffer = value.buffer as ArrayBuffer;
    }
    // A truncated read must not count as a truncated archive.
    if (left > 0) throw new Error("the archive was not read to its end");
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
