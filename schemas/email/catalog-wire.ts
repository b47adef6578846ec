import * as z from "zod";

const textsSchema = z.object({ subject: z.string(), preheader: z.string() });

/** Answer of `GET /api/v1/catalog` (Document 2, "Catalog"). */
export const catalogSchema = z.object({
  auth_link_hosts: z.array(z.string()),
  events: z.array(
    z.object({
      service: z.string(),
      event_type: z.string(),
      template_key: z.string(),
      label: z.string(),
      lane_class: z.enum(["auth", "transactional"]),
      default_lane: z.enum(["auth", "transactional"]),
      default_enabled: z.boolean(),
      category: z.string(),
      default_ttl_seconds: z.int(),
      variables: z.array(
        z.object({
          token: z.string(),
          type: z.enum(["string", "url"]),
          required: z.boolean(),
          description: z.string(),
          example: z.string(),
          is_url: z.boolean(),
          sensitive: z.boolean().optional(),
          allowed_hosts_setting: z.string().optional(),
        }),
      ),
      link_token: z.string(),
      default_template: z.string(),
      suggested: z.object({ en: textsSchema, fr: textsSchema }),
    }),
  ),
});
