import { iso } from "../../kit/time";
import type { Upload } from "../uploads/upload";

/** Returns the headers of every response about an upload. */
export const uploadHeaders = ({ expires_at }: Upload, offset: number) => ({
  "upload-offset": String(offset),
  "upload-expires": new Date(expires_at).toUTCString(),
});

/** Returns the state of an upload as JSON, for debugging. */
export const presentResumable = (upload: Upload) => ({
  id: upload.id,
  bucket: upload.bucket_name,
  path: upload.name,
  size: upload.size,
  offset: upload.received,
  expires_at: iso(upload.expires_at),
  completed_at: iso(upload.completed_at),
});
