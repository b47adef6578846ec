/** The transports of mail as rows name them; schemas/email/delivery/transports.ts has the names of the wire. */
export const TRANSPORTS = ["api", "smtp"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Transports that hand a mail over in one call: when it has no answer in time, the provider may have the mail. */
export const ONE_CALL_TRANSPORTS: readonly Transport[] = ["api"];

/** Transports whose mail has the id of its message at the relay too, so that rows do not repeat it. */
export const OWN_ID_TRANSPORTS: readonly Transport[] = ["smtp"];
