import * as z from "zod";
import { lazySchema } from "./lazy-schema";

/** Error codes by dotted field path, for example `{"to.0.email": ["invalid_format"]}`. */
export type FieldErrors = Record<string, string[]>;

/**
 * The error codes with HTTP status and an English message for developers. `code` is set only when the code in the response
 * differs from the key: a code with two statuses has two keys.
 */
export type ErrorTable = Record<string, { status: number; message: string; code?: string }>;

/** Error codes of every service. */
export const commonErrors = {
  validation_failed: { status: 400, message: "The request is not valid; see field_errors." },
  unauthorized: { status: 401, message: "A credential is required." },
  forbidden: { status: 403, message: "The caller may not do this." },
  company_mismatch: { status: 403, message: "The credential belongs to another company." },
  pat_read_only: { status: 403, message: "A read-only token can only use GET, HEAD and OPTIONS." },
  not_found: { status: 404, message: "There is no such resource." },
  method_not_allowed: { status: 405, message: "The method is not allowed here; see the Allow header." },
  conflict: { status: 409, message: "The request conflicts with the current state of the resource." },
  limit_reached: { status: 409, message: "The maximum number is reached." },
  payload_too_large: { status: 413, message: "The body is too large." },
  unsupported_media_type: { status: 415, message: "The media type is not supported." },
  rate_limited: { status: 429, message: "Too many requests; see Retry-After." },
  service_unavailable: { status: 503, message: "The service is temporarily unavailable. Try again later." },
} satisfies ErrorTable;

/** The body of every error response. */
export const problemSchema = lazySchema(() =>
  z
    .object({
      error_code: z.string(),
      message: z.string().optional(),
      field_errors: z.record(z.string(), z.array(z.string())).optional(),
      request_id: z.string().optional(),
    })
    .loose()
    .meta({ id: "Problem" }),
);
