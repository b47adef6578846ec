import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern } from "../../text/address";
import { documentInput, documentSchema, exampleDocument, mailLine } from "./documents";

/** Maximum number of versions per custom template. */
export const MAX_VERSIONS = 200;

const draft = () => ({
  subject: mailLine().optional(),
  preheader: mailLine().optional(),
  document: documentInput(),
});
const exampleDraft = { subject: "News", preheader: "What we made", document: exampleDocument };

/** Body of a new version: a document, or the id of a library template to copy. Missing fields keep their values. */
export const versionInputSchema = lazySchema(() =>
  z
    .object({ ...draft(), library_id: z.int("invalid").min(1, "invalid").nullish() })
    .meta({ examples: [exampleDraft, { library_id: 3 }] }),
);

/** Body of a preview. Without a document, the newest version is rendered. */
export const previewInputSchema = lazySchema(() =>
  z
    .object({ ...draft(), variables: z.record(z.string(), z.unknown()).nullish() })
    .meta({ examples: [{ ...exampleDraft, variables: { company_name: "Aster Labs" } }] }),
);

/**
 * Body of a test send. A document requires a subject. `version` sends a stored version instead: its number, or `live` for the
 * published one. Without both, the newest draft is sent.
 */
export const templateTestInputSchema = lazySchema(() =>
  z
    .object({
      ...draft(),
      version: z.union([z.int().min(1), z.literal("live")], "invalid").nullish(),
      to: z.string("invalid_format").trim().min(1, "required").meta({ pattern: addressPattern }).optional(),
    })
    .meta({ examples: [{ ...exampleDraft, to: "mina@example.com" }, { version: "live" }] }),
);

const templateExample = {
  id: 7,
  template_key: "company.k7m2p9q4r8st",
  kind: "event",
  name: "Group created",
  event_type: "identity.group.created",
  language: "en",
  company_id: 42,
  active_version: 1,
  source_key: "barebone.text-only",
  set: "barebone",
  head: "",
};

/** A custom template: a design that a company has adapted to an event. */
export const templateSchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      template_key: z.string(),
      kind: z.enum(["event", "broadcast", "newsletter_confirmation"]),
      name: z.string(),
      event_type: z.string(),
      language: z.enum(["en", "fr"]),
      company_id: z.int(),
      active_version: z.int().nullable(),
      source_key: z.string(),
      set: z.string(),
      head: z.string(),
    })
    .meta({
      id: "Template",
      examples: [templateExample],
    }),
);
export type PublicTemplate = z.output<typeof templateSchema>;

/** Response of `GET /api/v1/templates`. */
export const templateListSchema = lazySchema(() =>
  z
    .object({ templates: z.array(templateSchema.unwrap()), next_cursor: z.string().nullable() })
    .meta({ examples: [{ templates: [templateExample], next_cursor: null }] }),
);

const state = () => z.enum(["draft", "published", "archived"]);
const version = { number: 1, state: "published" as const, ...exampleDraft, published_at: "2026-01-31T09:30:00.000Z" };

/** A version of a custom template. */
export const versionSchema = lazySchema(() =>
  z
    .object({
      number: z.int(),
      state: state(),
      subject: z.string(),
      preheader: z.string(),
      document: documentSchema(),
      published_at: z.iso.datetime().nullable(),
    })
    .meta({ id: "TemplateVersion", examples: [version] }),
);
export type PublicVersion = z.output<typeof versionSchema>;

/** Response of `GET /api/v1/templates/{id}/versions`. */
export const versionListSchema = lazySchema(() =>
  z
    .object({ versions: z.array(versionSchema.unwrap()), next_cursor: z.string().nullable() })
    .meta({ examples: [{ versions: [version], next_cursor: null }] }),
);

/** Response of a new version. */
export const versionCreatedSchema = lazySchema(() =>
  z.object({ number: z.int(), state: z.literal("draft") }).meta({ examples: [{ number: 2, state: "draft" }] }),
);

const warnings = () => z.array(z.object({ code: z.string(), detail: z.string() }));
const exampleWarnings = [{ code: "unknown_token", detail: "first_name" }];

/**
 * Response of a publication. `checksum` is the SHA-256 of subject, HTML and text. `warnings` lists unknown tokens and truncation
 * by Gmail.
 */
export const publishedSchema = lazySchema(() =>
  z
    .object({
      number: z.int(),
      state: z.literal("published"),
      checksum: z.string(),
      warnings: warnings().describe("tokens that the event does not have, and a size at which Gmail cuts the mail"),
    })
    .meta({ examples: [{ number: 2, state: "published", checksum: "9f86d081884c7d65", warnings: exampleWarnings }] }),
);

/** Response of a preview. `warnings` lists failed publish checks, unknown tokens and truncation by Gmail. */
export const previewSchema = lazySchema(() =>
  z
    .object({
      subject: z.string(),
      preheader: z.string(),
      html: z.string(),
      text: z.string(),
      warnings: warnings(),
    })
    .meta({
      examples: [
        {
          subject: "News",
          preheader: "What we made",
          html: "<!doctype html>…",
          text: "Hello from Aster Labs",
          warnings: exampleWarnings,
        },
      ],
    }),
);
