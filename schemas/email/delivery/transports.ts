import * as z from "zod";
import { labelPattern } from "../../text/address";
import { linePattern } from "../../text/text";

/** Names of the transports that a company may use: the HTTP mail API and SMTP. */
export const COMPANY_TRANSPORT_NAMES = ["api", "smtp"] as const;
export type CompanyTransportName = (typeof COMPANY_TRANSPORT_NAMES)[number];

/** Names of all transports in the API. Only the platform's own sender uses Cloudflare's Email Service (`cloudflare`). */
export const TRANSPORT_NAMES = [...COMPANY_TRANSPORT_NAMES, "cloudflare"] as const;
export type TransportName = (typeof TRANSPORT_NAMES)[number];

/** SMTP vendors whose webhooks need a vendor header to identify a message. */
export const SMTP_VENDORS = ["ses", "postmark"] as const;
export type SmtpVendor = (typeof SMTP_VENDORS)[number];

const text = (pattern: string) => z.string().regex(new RegExp(pattern));

const credentialsByName = {
  api: () => z.object({ api_key: text("^[!-~]{1,512}$") }),
  smtp: () =>
    z.object({
      host: text(`^(?:${labelPattern}\\.){1,3}[A-Za-z]{2,63}$`),
      port: z.int().min(1).max(65_535).optional(),
      username: text(linePattern).max(512).optional(),
      password: text(linePattern).max(512).optional(),
      use_tls: z.boolean().optional(),
      use_ssl: z.boolean().optional(),
      vendor: z
        .enum(["none", ...SMTP_VENDORS])
        .optional()
        .describe(
          "vendor of the relay, for the headers that identify a message in its webhooks; default: derived from the host",
        ),
    }),
} satisfies Record<CompanyTransportName, () => z.ZodType>;

/** The credentials of the transports of companies, only for the OpenAPI document. Each transport validates its credentials. */
export const credentialsSchema = () => z.union(Object.values(credentialsByName).map((schema) => schema()));
