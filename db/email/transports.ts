/** The transports of companies as stored in rows. The API names are in schemas/email/delivery/transports.ts. */
export const COMPANY_TRANSPORTS = ["api", "smtp"] as const;

/** All transports as stored in rows, with the one that only the platform's own sender uses. */
export const TRANSPORTS = [...COMPANY_TRANSPORTS, "cloudflare"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Transports that send an email in one call. When the call times out, the provider may have accepted the email. */
export const ONE_CALL_TRANSPORTS: readonly Transport[] = ["api", "cloudflare"];

/** Transports whose relay identifies an email by the message id, so that rows need no second id. */
export const OWN_ID_TRANSPORTS: readonly Transport[] = ["smtp"];
