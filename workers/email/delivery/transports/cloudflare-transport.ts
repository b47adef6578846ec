import { clock } from "../../../kit/clock";
import type { PlatformTransportDefinition } from "../providers/types";
import { sendByBinding } from "./cloudflare";

/** Maximum number of mails that one claim sends at a time. Each of them may hold 5 MiB of attachments in memory. */
const MAX_PARALLEL = 4;

/**
 * Cloudflare's Email Service, through the binding `SEND_EMAIL`. Only the platform sender uses it, for auth and transactional
 * mail: its terms exclude bulk mail.
 */
export const cloudflareTransport: PlatformTransportDefinition = {
  name: "cloudflare",
  // The binding has no credentials. A pause because of an unverified sender ends when the sender changes.
  identityFields: ["sender"],
  sendsBulk: false,

  platformCredentials: ({ sendEmail, defaultFrom }) => (sendEmail === null ? null : { sender: defaultFrom.address }),

  configure(_credentials, _scope, { sendEmail, apiTimeoutMs }) {
    if (sendEmail === null) return null;
    return {
      timeoutMs: apiTimeoutMs,
      parallel: (mails) => Math.min(MAX_PARALLEL, mails),
      open: () => ({
        send(mail, { deadline = Number.POSITIVE_INFINITY }) {
          const timeoutMs = Math.min(apiTimeoutMs, Math.max(1, deadline - clock.now()));
          return sendByBinding(mail, sendEmail, timeoutMs);
        },
        close: async () => undefined,
      }),
    };
  },
};
