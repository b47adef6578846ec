import type { FieldErrors } from "../../../schemas/errors";
import { filePathProblem } from "../../../schemas/hosting/file-path";
import type { ManifestFile, ManifestFiles } from "../../../schemas/hosting/manifest";
import { mimeTypeOf } from "../../kit/files/mime-type";
import { isObject } from "../../kit/json";
import { invalid } from "../../kit/problem";
import type { HostingSettings } from "../settings";

/** The files of a new deployment, with their number and bytes. */
export type ManifestInput = { files: ManifestFiles; fileCount: number; totalBytes: number };

type Limits = Pick<HostingSettings["limits"], "files" | "totalBytes" | "uploadBytes">;

/** Maximum number of invalid files that a response names. */
const MAX_ERRORS = 20;

const MAX_TYPE_LENGTH = 255;
const hashPattern = /^[0-9a-f]{64}$/;

/**
 * Reads the manifest of a request. Throws a 400 that names the first 20 invalid paths. A media type that is missing or
 * malformed is replaced by the type of the file name.
 */
export function readManifest(raw: unknown, limits: Limits): ManifestInput {
  if (!isObject(raw)) throw invalid({ manifest: ["invalid"] });
  const entries = Object.entries(raw);
  if (entries.length === 0) throw invalid({ manifest: ["blank"] });
  if (entries.length > limits.files) throw invalid({ manifest: ["too_many"] });
  const reader = createFileReader(limits.uploadBytes);
  const errors: FieldErrors = {};
  const files: [string, ManifestFile][] = [];
  let totalBytes = 0;
  for (const [path, value] of entries) {
    const file = reader(path, value);
    if ("field" in file) {
      errors[file.field] = [file.code];
      if (Object.keys(errors).length === MAX_ERRORS) break;
      continue;
    }
    totalBytes += file.size;
    files.push([path, file]);
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  if (totalBytes > limits.totalBytes) throw invalid({ manifest: ["too_large"] });
  return { files: Object.fromEntries(files), fileCount: files.length, totalBytes };
}

type Fault = { field: string; code: string };

/** Returns a function that reads one file and remembers the paths and sizes that it has read. */
function createFileReader(maxBytes: number): (path: string, value: unknown) => ManifestFile | Fault {
  const paths = new Set<string>();
  const sizes = new Map<string, number>();
  return (path, value) => {
    const field = `manifest.${path}`;
    const pathProblem = filePathProblem(path);
    if (pathProblem !== null) return { field, code: pathProblem };
    const folded = path.normalize("NFC").toLowerCase();
    // Some file systems do not distinguish such paths, so one of the files would replace the other.
    if (paths.has(folded)) return { field, code: "path_case_conflict" };
    paths.add(folded);
    if (!isObject(value)) return { field, code: "invalid" };
    const { sha256, size, type } = value;
    if (typeof sha256 !== "string" || !hashPattern.test(sha256))
      return { field: `${field}.sha256`, code: codeOf(sha256) };
    if (typeof size !== "number" || !Number.isInteger(size)) return { field: `${field}.size`, code: codeOf(size) };
    if (size < 0 || size > maxBytes) return { field: `${field}.size`, code: size < 0 ? "out_of_range" : "too_large" };
    if ((sizes.get(sha256) ?? size) !== size) return { field: `${field}.size`, code: "mismatch" };
    sizes.set(sha256, size);
    if (type !== undefined && typeof type !== "string") return { field: `${field}.type`, code: "invalid" };
    if (type !== undefined && type.length > MAX_TYPE_LENGTH) return { field: `${field}.type`, code: "too_long" };
    return { sha256, size, type: mimeTypeOf(type ?? null, path) };
  };
}

const codeOf = (value: unknown) => (value === undefined ? "required" : "invalid");
