import { partCountOf } from "../../kit/files/part-size";
import type { StoredPart } from "../../kit/files/r2-upload";
import { iso } from "../../kit/time";
import type { Multipart } from "./multipart";

/** Returns the response to opening an upload. */
export const presentOpened = ({ id, size, part_size, expires_at }: Multipart) => ({
  id,
  part_size,
  part_count: partCountOf(size, part_size),
  expires_at: iso(expires_at),
});

/** Returns the state of an upload. A completed upload lists all parts. */
export function presentState(upload: Multipart, parts: readonly Pick<StoredPart, "part" | "size">[]) {
  const { id, bucket_name, name, size, part_size, expires_at, completed_at } = upload;
  const count = partCountOf(size, part_size);
  const isDone = completed_at !== null;
  return {
    id,
    bucket: bucket_name,
    path: name,
    size,
    part_size,
    part_count: count,
    parts: isDone ? Array.from({ length: count }, (_, index) => index + 1) : parts.map(({ part }) => part),
    received_bytes: isDone ? size : parts.reduce((sum, part) => sum + part.size, 0),
    expires_at: iso(expires_at),
    completed_at: iso(completed_at),
  };
}
