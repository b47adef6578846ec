import * as z from "zod";
import { laneSchema } from "./lanes";

/** Credentials as they are sealed: only these keys, every one present (email details 6.1). */
export const apiCredentialsSchema = z.object({ api_key: z.string() });
export const smtpCredentialsSchema = z.object({
  host: z.string(),
  port: z.int(),
  username: z.string(),
  password: z.string(),
  use_tls: z.boolean(),
  use_ssl: z.boolean(),
});

/** Body of `PUT /api/v1/provider`, for the document only: the checks run one after another (email details 6.1). */
export const providerInputSchema = z.object({
  provider: z.enum(["api", "smtp"]).optional(),
  from_email: z.email(),
  from_name: z.string().max(128).optional(),
  sending_domain: z.string().max(253).optional(),
  bulk_from_email: z.string().optional(),
  reply_to: z.string().optional(),
  credentials: z.union([apiCredentialsSchema, smtpCredentialsSchema.partial().required({ host: true })]).optional(),
  webhook_secret: z.string().max(256).nullable().optional(),
  webhook_overlap_hours: z.int().min(0).max(168).optional(),
});

/** Answer of GET and PUT (Document 2 "Provider configuration", email details 6.1). */
export const providerSchema = z.object({
  company_id: z.int(),
  configured: z.boolean(),
  provider: z.enum(["api", "smtp"]).nullable(),
  from_email: z.string(),
  from_name: z.string(),
  sending_domain: z.string(),
  bulk_from_email: z.string(),
  reply_to: z.string(),
  credentials_hint: z.string(),
  webhook_configured: z.boolean(),
  webhook_hint: z.string(),
  webhook_path: z.string(),
  fallback_provider: z.enum(["api", "smtp", "none"]),
  fallback_configured: z.boolean(),
  smtp_allowed: z.boolean(),
  auth_link_hosts: z.array(z.string()),
  lanes: z.array(
    z.object({ lane: laneSchema, paused: z.boolean(), reason: z.string(), paused_at: z.iso.datetime().nullable() }),
  ),
  updated_at: z.iso.datetime().nullable(),
});

/** Body of test-send; without `to` the mail goes to the caller. */
export const testSendInputSchema = z.object({ to: z.string("invalid_format").trim().min(1, "required").optional() });

export const testSentSchema = z.object({
  status: z.literal("sent"),
  provider: z.enum(["api", "smtp"]),
  provider_message_id: z.string(),
});
