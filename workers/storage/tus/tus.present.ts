import { iso } from "../../kit/time";
import type { Upload } from "../uploads/upload";

/** What every answer about an upload says in its headers. */
export const uploadHeaders = ({ expires_at }: Upload, offset: number) => ({
  "upload-offset": String(offset),
  "upload-expires": new Date(expires_at).toUTCString(),
});

/** What is there of an upload, for people who look. */
export const presentResumable = (upload: Upload) => ({
  id: upload.id,
  bucket: upload.bucket_name,
  path: upload.name,
  size: upload.size,
  offset: upload.received,
  expires_at: iso(upload.expires_at),
  completed_at: iso(upload.completed_at),
});
