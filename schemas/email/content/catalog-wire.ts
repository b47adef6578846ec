import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { VALUE_TYPES } from "./catalog";
import { variableSchema } from "./documents";

const textsSchema = lazySchema(() => z.object({ subject: z.string(), preheader: z.string() }));

const labels = () => z.object({ en: z.string(), fr: z.string() });

const variableFields = () => ({
  ...variableSchema().shape,
  value_type: z.enum(VALUE_TYPES).describe("the events of the platform have `text`, `url`, `date` and `number`"),
  labels: labels(),
  sample: z.unknown().optional().describe("the example as requests send it"),
});

/** A variable of an event in the catalog. A list has `fields`, the variables of its items. */
export const catalogVariableSchema = lazySchema(() =>
  z.object({
    ...variableFields(),
    fields: z.array(z.object(variableFields())).optional(),
    sensitive: z.boolean().optional(),
    allowed_hosts_setting: z.string().optional(),
  }),
);

/** Response of `GET /api/v1/catalog`. */
export const catalogSchema = lazySchema(() =>
  z
    .object({
      auth_link_hosts: z.array(z.string()),
      events: z.array(
        z.object({
          service: z.string(),
          event_type: z.string(),
          template_key: z.string(),
          label: z.string(),
          labels: labels(),
          lane_class: z.enum(["auth", "transactional"]),
          default_lane: z.enum(["auth", "transactional"]),
          default_enabled: z.boolean(),
          category: z.string(),
          default_ttl_seconds: z.int(),
          variables: z.array(catalogVariableSchema.unwrap()),
          link_token: z.string(),
          default_template: z.string(),
          suggested: z.object({ en: textsSchema.unwrap(), fr: textsSchema.unwrap() }),
        }),
      ),
    })
    .meta({
      id: "Catalog",
      examples: [
        {
          auth_link_hosts: ["id.example.com"],
          events: [
            {
              service: "identity",
              event_type: "identity.auth.magic_link.requested",
              template_key: "identity.auth.magic_link.requested",
              label: "Magic link requested",
              labels: { en: "Magic link requested", fr: "Lien de connexion demandé" },
              lane_class: "auth",
              default_lane: "auth",
              default_enabled: true,
              category: "auth",
              default_ttl_seconds: 120,
              variables: [
                {
                  token: "magic_link_url",
                  type: "url",
                  required: true,
                  description: "email.var.magic_link_url",
                  example: "https://id.example.com/api/v1/magic-link/verify?token=example&company_id=1",
                  is_url: true,
                  value_type: "url",
                  labels: { en: "Sign-in link", fr: "Lien de connexion" },
                  sensitive: true,
                  allowed_hosts_setting: "EMAIL_AUTH_LINK_HOSTS",
                },
              ],
              link_token: "magic_link_url",
              default_template: "barebone.activation",
              suggested: {
                en: { subject: "Sign in to Aster Labs", preheader: "Continue to Aster Labs from this email." },
                fr: { subject: "Se connecter à Aster Labs", preheader: "Accédez à Aster Labs depuis cet e-mail." },
              },
            },
          ],
        },
      ],
    }),
);
