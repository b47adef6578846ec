import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { pageQuery, pageSchema } from "../../page";
import { booleanText } from "../../query";
import { addressSchema, isHostName, labelPattern } from "../../text/address";
import { nameSchema } from "../../text/name";
import { webUrlPattern } from "../../text/web-url";

const accessMode = () => z.enum(["public", "domain", "invite"], "invalid");
const companyId = () => z.int("invalid").min(1, "invalid").optional();
const slug = () =>
  z
    .string("invalid")
    .trim()
    .min(1, "blank")
    .max(60, "too_long")
    .regex(/^[a-z0-9-]*$/, "invalid_format");

/** A company. */
export const companySchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      name: z.string(),
      slug: z.string(),
      owners: z.array(z.int()),
      access_mode: accessMode(),
      allowed_email_domains: z.array(z.string()),
      enable_magic_link: z.boolean(),
      is_active: z.boolean(),
      data_retention_days: z.int(),
      created_at: z.iso.datetime(),
    })
    .meta({
      id: "Company",
      examples: [
        {
          id: 3,
          name: "Aster Labs",
          slug: "aster-labs",
          owners: [42],
          access_mode: "domain",
          allowed_email_domains: ["aster.example"],
          enable_magic_link: true,
          is_active: true,
          data_retention_days: 7,
          created_at: "2026-01-12T08:00:00.000Z",
        },
      ],
    }),
);

/** Response of `GET /api/v1/companies`. */
export const companyPageSchema = pageSchema(companySchema);

/** Query of `GET /api/v1/companies`. Only staff may use `all=true`. */
export const companiesQuery = lazySchema(() =>
  pageQuery.unwrap().extend({
    company_id: z.string().optional(),
    all: booleanText().optional(),
  }),
);

/** Returns a domain in its stored form: lower case, without a leading `@` and without a trailing dot. */
function cutDomain(text: string): string {
  return text.trim().toLowerCase().replace(/^@/, "").replace(/\.$/, "");
}

/** A pattern for host names, for the OpenAPI document. */
const domainPattern = `${labelPattern}(?:\\.${labelPattern})*`;

/**
 * An array of domains, or a text in which commas or semicolons separate the domains. At most 100 domains are stored, sorted and
 * without duplicates.
 */
const allowedDomains = () =>
  z
    .union(
      [
        z.array(z.string("invalid").meta({ pattern: `^${domainPattern}$` }), "invalid"),
        z.string("invalid").meta({ pattern: `^(?:${domainPattern}(?:[,;]${domainPattern})*)?$` }),
      ],
      "invalid",
    )
    .transform((value) =>
      typeof value === "string" ? value.split(/[,;]/).filter((part) => part.trim() !== "") : value,
    )
    .transform((entries) => [...new Set(entries.map(cutDomain))].sort())
    .refine((entries) => entries.every(isHostName), { error: "invalid", abort: true })
    .refine((entries) => entries.length <= 100, "too_many");

/** Body of `POST /api/v1/companies`. */
export const companyBody = lazySchema(() =>
  z
    .object({
      company_id: companyId(),
      name: nameSchema(255),
      slug: slug().optional(),
      owner_emails: z.array(addressSchema(), "invalid").max(20, "too_many").default([]),
      access_mode: accessMode().default("public"),
      allowed_email_domains: allowedDomains().default([]),
      redirect_origins: z
        .array(
          z.string("invalid").trim().min(1, "blank").max(500, "too_long").meta({ pattern: webUrlPattern }),
          "invalid",
        )
        .max(20, "too_many")
        .default([]),
    })
    .meta({
      examples: [
        {
          name: "Aster Labs",
          owner_emails: ["mina@aster.example"],
          access_mode: "domain",
          allowed_email_domains: ["aster.example"],
          redirect_origins: ["https://app.aster.example"],
        },
      ],
    }),
);

/**
 * Body of `PATCH` and `PUT /api/v1/companies/{id}`. Missing fields keep their values. Only staff may set `slug`,
 * `is_active` and `data_retention_days`.
 */
export const companyChangeBody = lazySchema(() =>
  z
    .object({
      company_id: companyId(),
      name: nameSchema(255).optional(),
      owner_ids: z.array(z.int("invalid").min(1, "invalid"), "invalid").max(1000, "too_many").optional(),
      access_mode: accessMode().optional(),
      allowed_email_domains: allowedDomains().optional(),
      slug: slug().optional(),
      is_active: z.boolean("invalid").optional(),
      data_retention_days: z.int("invalid").min(1, "out_of_range").max(365, "out_of_range").optional(),
    })
    .meta({ examples: [{ name: "Aster Labs", owner_ids: [42, 57], access_mode: "invite" }] }),
);

export type NewCompany = z.output<typeof companyBody>;
export type CompanyChange = z.output<typeof companyChangeBody>;
