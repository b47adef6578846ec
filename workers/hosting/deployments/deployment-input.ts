import {
  type NewDeploymentInput,
  type NewPreviewInput,
  newDeploymentBody,
  newPreviewBody,
} from "../../../schemas/hosting/deployment";
import type { LazySchema } from "../../../schemas/lazy-schema";
import { parse } from "../../kit/http/request/parse";
import type { JsonObject } from "../../kit/json";
import { invalid } from "../../kit/problem";
import type { HostingSettings } from "../settings";
import type { NewDeployment } from "./deployment";
import { type ManifestInput, readManifest } from "./manifest-input";

/** Maximum size of a body with a manifest: 5,000 files with paths of 1,024 bytes, and as many again if JSON escapes them. */
export const MAX_BODY_BYTES = 12 * 1024 * 1024;

type Limits = HostingSettings["limits"];

/** A new deployment; a dry run always has a manifest. */
export type DeploymentInput =
  | (NewDeployment & { isDryRun: false })
  | (NewDeployment & { isDryRun: true; manifest: ManifestInput });

/** Reads a new deployment. Throws 400 with the codes of invalid fields. */
export function readNewDeployment(raw: JsonObject, limits: Limits): DeploymentInput {
  const { pinned = false, dry_run = false, ...fields } = readFields<NewDeploymentInput>(newDeploymentBody, raw);
  const manifest = readManifestOf(raw, limits);
  const deployment = { ...toDeployment(fields), pinned };
  if (!dry_run) return { ...deployment, manifest, isDryRun: false };
  if (manifest === null) throw invalid({ manifest: ["required"] });
  return { ...deployment, manifest, isDryRun: true };
}

/** Reads a new preview. Throws 400 with the codes of invalid fields. */
export function readNewPreview(raw: JsonObject, limits: Limits) {
  const { slug: _slug, display_name, ...fields } = readFields<NewPreviewInput>(newPreviewBody, raw);
  const deployment = { ...toDeployment(fields), pinned: false, manifest: readManifestOf(raw, limits) };
  return { display_name, deployment };
}

/** Reads all fields except the manifest, whose errors name paths. */
function readFields<T extends object>(schema: LazySchema, raw: JsonObject): Omit<T, "manifest"> {
  const { manifest: _manifest, ...fields } = raw;
  return parse(schema, fields) as Omit<T, "manifest">;
}

const readManifestOf = ({ manifest }: JsonObject, limits: Limits) =>
  manifest === undefined ? null : readManifest(manifest, limits);

const toDeployment = ({
  app_version,
  shell_version,
  message = "",
  not_found = "spa",
}: Pick<NewDeploymentInput, "app_version" | "shell_version" | "message" | "not_found">) => ({
  app_version,
  shell_version: shell_version ?? null,
  message,
  not_found,
});
