/** The transports of mail as rows name them; schemas/email/delivery/transports.ts has the names of the wire. */
export const TRANSPORTS = ["api", "smtp"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** Transports that hand a mail over in one call: when it has no answer in time, the provider may have the mail. */
export const ONE_CALL_TRANSPORTS: readonly Transport[] = ["api"];
