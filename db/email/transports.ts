/** The transports in rows; schemas/email/delivery/transports.ts has the names of the API. */
export const TRANSPORTS = ["api", "smtp"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Transports that send a mail in one call: when it times out, the provider may have accepted the mail. */
export const ONE_CALL_TRANSPORTS: readonly Transport[] = ["api"];

/** Transports whose mail has the message id at the relay too, so that rows do not store it again. */
export const OWN_ID_TRANSPORTS: readonly Transport[] = ["smtp"];
