import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern, labelPattern } from "../../text/address";
import { linePattern } from "../../text/text";
import { laneSchema } from "./lanes";
import { COMPANY_TRANSPORT_NAMES, credentialsSchema, TRANSPORT_NAMES } from "./transports";

const text = (pattern: string) => z.string().regex(new RegExp(pattern));
/** Returns a pattern that also accepts "", which clears the stored value. */
const optionalPattern = (pattern: string) => `^$|${pattern}`;

/** A pattern for a tag of an email: `name`, which stands for all values, or `name:value`. */
export const tagPattern = "^[A-Za-z0-9_-]{1,256}(?::[A-Za-z0-9_-]{1,256})?$";

/** Body of `PUT /api/v1/provider`, only for the OpenAPI document. sender-settings/provider-input.ts validates the body. */
export const providerInputSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int().min(1).nullish(),
      provider: z.enum(COMPANY_TRANSPORT_NAMES).nullish(),
      from_email: text(addressPattern),
      from_name: text(linePattern).max(128).optional(),
      sending_domain: text(optionalPattern(`^${labelPattern}(?:\\.${labelPattern}){0,3}$`)).optional(),
      bulk_from_email: text(optionalPattern(addressPattern)).optional(),
      reply_to: text(optionalPattern(addressPattern)).optional(),
      optional_tags: z.array(text(tagPattern)).max(50).optional(),
      credentials: credentialsSchema().optional(),
      webhook_secret: z.string().max(256).nullable().optional(),
      webhook_overlap_hours: z.int().min(0).max(168).optional(),
    })
    .meta({
      examples: [
        {
          provider: "smtp",
          from_email: "hello@aster.example",
          from_name: "Aster Labs",
          credentials: { host: "smtp.aster.example", port: 587, username: "aster", password: "example", use_tls: true },
        },
      ],
    }),
);

/** The reasons why a stored provider cannot send on this deployment. */
export const CONFIGURATION_ERRORS = [
  "provider_not_configured",
  "company_smtp_disabled",
  "credentials_unreadable",
] as const;

/** Response of `GET` and `PUT /api/v1/provider`. */
export const providerSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int(),
      configured: z.boolean(),
      configuration_error: z.object({ error_code: z.enum(CONFIGURATION_ERRORS), setting: z.string() }).nullable(),
      provider: z.enum(COMPANY_TRANSPORT_NAMES).nullable(),
      from_email: z.string(),
      from_name: z.string(),
      sending_domain: z.string(),
      sending_domain_record: z
        .object({ type: z.literal("TXT"), name: z.string(), value: z.string() })
        .nullable()
        .describe("the DNS record that allows emails from any address at the sending domain"),
      bulk_from_email: z.string(),
      reply_to: z.string(),
      optional_tags: z.array(z.string()).describe("tags whose emails must contain the unsubscribe link"),
      credentials_hint: z.string(),
      webhook_configured: z.boolean(),
      webhook_hint: z.string(),
      webhook_path: z.string(),
      fallback_provider: z
        .enum(["", ...COMPANY_TRANSPORT_NAMES, "none"])
        .describe("the setting `EMAIL_FALLBACK_PROVIDER`; empty when only `EMAIL_PLATFORM_TRANSPORT` is set"),
      platform_transport: z
        .enum([...TRANSPORT_NAMES, "none"])
        .describe("the transport of the platform sender; `none` when the platform sends no emails"),
      fallback_configured: z.boolean(),
      smtp_allowed: z.boolean(),
      auth_link_hosts: z.array(z.string()),
      lanes: z.array(
        z.object({
          lane: laneSchema.unwrap(),
          paused: z.boolean(),
          reason: z.string(),
          paused_at: z.iso.datetime().nullable(),
        }),
      ),
      updated_at: z.iso.datetime().nullable(),
    })
    .meta({
      id: "Provider",
      examples: [
        {
          company_id: 42,
          configured: true,
          configuration_error: null,
          provider: "smtp",
          from_email: "hello@aster.example",
          from_name: "Aster Labs",
          sending_domain: "aster.example",
          sending_domain_record: {
            type: "TXT",
            name: "aster.example",
            value: "platform-sending-domain=0b8f6c1e4f574a559d2c0d1f3f1c9a77",
          },
          bulk_from_email: "",
          reply_to: "",
          optional_tags: ["category:news"],
          credentials_hint: "smtp.aster.example:587",
          webhook_configured: false,
          webhook_hint: "",
          webhook_path: "",
          fallback_provider: "api",
          platform_transport: "api",
          fallback_configured: true,
          smtp_allowed: true,
          auth_link_hosts: ["id.example.com"],
          lanes: [{ lane: "auth", paused: false, reason: "", paused_at: null }],
          updated_at: "2026-01-31T09:30:00.000Z",
        },
      ],
    }),
);

/** The checks of a domain. `detail_code` is "" for `pass`. */
export const HEALTH_CHECKS = ["spf", "dkim", "dmarc", "mx", "from_alignment"] as const;
export const HEALTH_STATUSES = ["pass", "warn", "fail", "unknown"] as const;

/** Response of `GET /api/v1/provider/domain-health`. */
export const domainHealthSchema = lazySchema(() =>
  z
    .object({
      domain: z.string(),
      checked_at: z.iso.datetime().nullable(),
      checks: z.array(
        z.object({ name: z.enum(HEALTH_CHECKS), status: z.enum(HEALTH_STATUSES), detail_code: z.string() }),
      ),
      ownership: z
        .enum(["pass", "fail", "unknown"])
        .nullable()
        .describe("whether DNS proves that the company controls its `sending_domain`; null without one"),
    })
    .meta({
      examples: [
        {
          domain: "aster.example",
          checked_at: "2026-01-31T09:30:00.000Z",
          checks: [
            { name: "spf", status: "pass", detail_code: "" },
            { name: "dmarc", status: "fail", detail_code: "no_record" },
          ],
          ownership: "pass",
        },
      ],
    }),
);
export type DomainHealth = z.output<typeof domainHealthSchema>;

/** Body of a test send. The default of `to` is the address of the caller. */
export const testSendInputSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").nullish(),
      to: z.string("invalid_format").trim().min(1, "required").meta({ pattern: addressPattern }).optional(),
    })
    .meta({ examples: [{ to: "mina@example.com" }] }),
);

export const testSentSchema = lazySchema(() =>
  z
    .object({
      status: z.literal("sent"),
      provider: z.enum(TRANSPORT_NAMES),
      provider_message_id: z.string(),
      sender: z.object({ scope: z.enum(["company", "platform"]), from_email: z.string() }),
    })
    .meta({
      examples: [
        {
          status: "sent",
          provider: "smtp",
          provider_message_id: "<5f0c2a52@aster.example>",
          sender: { scope: "company", from_email: "hello@aster.example" },
        },
      ],
    }),
);
