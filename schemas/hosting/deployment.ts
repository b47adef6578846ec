import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { pageSchema } from "../page";
import { lineSchema } from "../text/text";
import { appDisplayName, appExample, appSchema } from "./app";

export const DEPLOYMENT_STATUSES = [
  "draft",
  "uploading",
  "ready",
  "extracting",
  "active",
  "superseded",
  "failed",
] as const;

const number = "(?:0|[1-9][0-9]*)";
const identifier = `(?:${number}|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)`;
/** Semantic Versioning 2.0.0. */
const versionPattern = `^${number}\\.${number}\\.${number}(?:-${identifier}(?:\\.${identifier})*)?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`;

const version = () => z.string("invalid").max(64, "too_long").regex(new RegExp(versionPattern), "invalid_format");

const slug = () => z.string("invalid").regex(/^[a-z][a-z0-9]{11}$/, "invalid");

/** A lower-case SHA-256 in hex. */
export const sha256Text = () => z.string("invalid").regex(/^[0-9a-f]{64}$/, "invalid");

/** The path parameters that name a blob. */
export const blobParams = lazySchema(() =>
  z.object({
    app: z.string().meta({ pattern: "^[a-z0-9][a-z0-9-]{2,62}$", example: "field-notes" }),
    sha256: z.string().meta({ pattern: "^[0-9a-f]{64}$" }),
  }),
);

/** A file of a manifest. `readManifest` validates manifests, because it also checks the paths. */
const fileSchema = () =>
  z
    .object({
      sha256: sha256Text(),
      size: z.int("invalid").min(0, "out_of_range").describe("bytes"),
      type: z
        .string("invalid")
        .max(255, "too_long")
        .optional()
        .describe("media type; default: the type of the file name"),
    })
    .meta({ id: "ManifestFile" });

/** The paths of a manifest, for the OpenAPI document. `filePathProblem` is the exact rule. */
const pathPattern =
  "^(?!/|[A-Za-z]:)(?!(?:.*/)?\\.{0,2}(?:/|$))(?!.*%(?:2[EeFf5]|5[Cc]|00))[^\\x00-\\x1f\\x7f-\\x9f\\\\?#]+$";

const manifest = () =>
  z
    .record(z.string(), fileSchema())
    .meta({ minProperties: 1, maxProperties: 5000, propertyNames: { pattern: pathPattern, maxLength: 1024 } })
    .describe("the files by path, such as `assets/app.4f2a.js`; missing: the files arrive as an archive");

/** The fields that describe a new deployment. */
const deploymentFields = () => ({
  app_version: version(),
  shell_version: version().optional(),
  message: lineSchema(500, { blank: true }).optional(),
  not_found: z
    .enum(["spa", "page", "none"], "invalid")
    .optional()
    .describe(
      "response to a path without a file: `index.html` (200, default), `404.html` (404) or a page of the platform (404)",
    ),
  manifest: manifest().optional(),
});

const manifestExample = {
  "index.html": {
    sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    size: 812,
    type: "text/html",
  },
};

/** Body of `POST apps/{app}/deployments`. */
export const newDeploymentBody = lazySchema(() =>
  z
    .object({
      ...deploymentFields(),
      pinned: z.boolean("invalid").optional().describe("is never removed to make room for a new deployment"),
      dry_run: z.boolean("invalid").optional().describe("only tells which files are missing; stores nothing"),
    })
    .meta({
      id: "NewDeployment",
      examples: [{ app_version: "1.4.0", message: "New search", manifest: manifestExample }],
    }),
);

/** Body of `POST preview`. */
export const newPreviewBody = lazySchema(() =>
  z
    .object({
      slug: slug().optional().describe("an existing preview of the caller, which gets another deployment"),
      display_name: appDisplayName().optional(),
      ...deploymentFields(),
    })
    .meta({ id: "NewPreview", examples: [{ display_name: "Pull request 7", app_version: "1.4.0-pr.7" }] }),
);

const warningSchema = () =>
  z.object({ file: z.string(), line: z.int(), text: z.string(), reason: z.string() }).meta({ id: "RuleWarning" });

/** The fields of a deployment. */
const publicFields = () => ({
  id: z.uuid(),
  app_id: z.uuid(),
  app_version: z.string(),
  shell_version: z.string().nullable(),
  status: z.enum(DEPLOYMENT_STATUSES),
  pinned: z.boolean(),
  message: z.string(),
  not_found: z.enum(["spa", "page", "none"]),
  deployed_by_id: z.int(),
  artifact_size: z.int().nullable().describe("bytes of the archive; null for a deployment by manifest"),
  file_count: z.int().nullable(),
  total_bytes: z.int().nullable(),
  bytes_new: z.int().nullable().describe("bytes of the files that the company did not have"),
  error: z.string().nullable().describe("why the deployment failed"),
  warnings: z.array(warningSchema()).describe("lines of `_headers` and `_redirects` that were not understood"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  finalized_at: z.iso.datetime().nullable(),
  urls: z
    .object({ url: z.url(), deployment_url: z.url() })
    .optional()
    .describe("present once the deployment was live: the address of the app and of this deployment"),
  expires_at: z.iso.datetime().optional().describe("when the preview ends; only for deployments of a preview"),
});

const missingFields = () => ({
  missing: z.array(z.string()).describe("SHA-256 of the files to upload"),
  bytes_missing: z.int(),
  fits: z.boolean().describe("false: every deployment of the app is pinned or live, so that none can be added"),
});

const deploymentExample = {
  id: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11",
  app_id: appExample.id,
  app_version: "1.4.0",
  shell_version: null,
  status: "active" as const,
  pinned: false,
  message: "New search",
  not_found: "spa" as const,
  deployed_by_id: 7,
  artifact_size: null,
  file_count: 1,
  total_bytes: 812,
  bytes_new: 812,
  error: null,
  warnings: [],
  created_at: "2026-11-20T09:30:30.000Z",
  updated_at: "2026-11-20T09:31:00.000Z",
  finalized_at: "2026-11-20T09:31:00.000Z",
  urls: {
    url: "https://k7m2p9q4r8st.apps.example.com",
    deployment_url: "https://k7m2p9q4r8st--7c4fbd0e.apps.example.com",
  },
};

const draftExample = { ...deploymentExample, status: "draft" as const, finalized_at: null, urls: undefined };
const missingExample = {
  missing: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  bytes_missing: 812,
  fits: true,
};

export const deploymentSchema = lazySchema(() =>
  z.object(publicFields()).meta({ id: "Deployment", examples: [deploymentExample] }),
);

/** A page of deployments. */
export const deploymentPageSchema = pageSchema(deploymentSchema);

/** The response to a new deployment; the fields about missing files are present for a deployment by manifest. */
export const createdDeploymentSchema = lazySchema(() =>
  z
    .object({ ...publicFields(), ...z.object(missingFields()).partial().shape })
    .meta({ id: "CreatedDeployment", examples: [{ ...draftExample, ...missingExample }] }),
);

/** The response to a dry run. */
export const missingFilesSchema = lazySchema(() =>
  z.object(missingFields()).meta({ id: "MissingFiles", examples: [missingExample] }),
);

/** The response to a new preview. */
export const createdPreviewSchema = lazySchema(() =>
  z
    .object({
      app: appSchema.unwrap(),
      deployment: deploymentSchema.unwrap(),
      slug: z.string(),
      expires_at: z.iso.datetime(),
      urls: z.object({ url: z.url(), deployment_url: z.url() }).describe("served once the deployment is live"),
      ...z.object(missingFields()).partial().shape,
    })
    .meta({
      id: "CreatedPreview",
      examples: [
        {
          app: { ...appExample, expires_at: "2026-11-27T09:30:00.000Z", current_deployment_id: null, urls: undefined },
          deployment: draftExample,
          slug: appExample.slug,
          expires_at: "2026-11-27T09:30:00.000Z",
          urls: deploymentExample.urls,
        },
      ],
    }),
);

const changedFile = () => z.object({ path: z.string(), size: z.int() });

/** The files that differ between two deployments, by path. */
export const diffSchema = lazySchema(() =>
  z
    .object({
      added: z.array(changedFile()),
      changed: z.array(changedFile().extend({ previous_size: z.int() })),
      removed: z.array(changedFile()),
    })
    .meta({
      id: "DeploymentDiff",
      examples: [
        {
          added: [{ path: "assets/app.4f2a.js", size: 41_200 }],
          changed: [{ path: "index.html", size: 812, previous_size: 790 }],
          removed: [{ path: "assets/app.91bc.js", size: 40_100 }],
        },
      ],
    }),
);

/** The response to an uploaded blob. */
export const blobSchema = lazySchema(() =>
  z
    .object({ sha256: z.string(), size: z.int() })
    .meta({ id: "Blob", examples: [{ sha256: missingExample.missing[0], size: 812 }] }),
);

export type PublicDeployment = z.output<ReturnType<typeof deploymentSchema.unwrap>>;
export type NewDeploymentInput = z.output<ReturnType<typeof newDeploymentBody.unwrap>>;
export type NewPreviewInput = z.output<ReturnType<typeof newPreviewBody.unwrap>>;
