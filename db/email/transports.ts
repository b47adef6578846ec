/** The transports as stored in rows. The API names are in schemas/email/delivery/transports.ts. */
export const TRANSPORTS = ["api", "smtp"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Transports that send an email in one call. When the call times out, the provider may have accepted the email. */
export const ONE_CALL_TRANSPORTS: readonly Transport[] = ["api"];

/** Transports whose relay identifies an email by the message id, so that rows need no second id. */
export const OWN_ID_TRANSPORTS: readonly Transport[] = ["smtp"];
