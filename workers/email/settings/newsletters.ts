import { hours, integer, url } from "../../kit/settings/setting-types";
import type { SettingsTable } from "../../kit/settings/settings";
import { MINUTE_MS } from "../../kit/time";
import { perHour } from "../setting-types";

/** The settings of newsletters: limits of sign-ups and confirmation mails, and how long subscribers are kept. */
export const newsletterTable = {
  ipPerHour: {
    name: "EMAIL_NEWSLETTER_IP_PER_HOUR",
    type: perHour,
    default: "10",
    meaning: "Newsletter sign-ups per network address and hour; 0: no limit",
  },
  listPerHour: {
    name: "EMAIL_NEWSLETTER_LIST_PER_HOUR",
    type: perHour,
    default: "500",
    meaning: "Sign-ups per newsletter and hour; 0: no limit",
  },
  turnstileVerifyUrl: {
    name: "EMAIL_TURNSTILE_VERIFY_URL",
    type: url,
    default: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
    meaning: "Address that verifies responses of the Turnstile widget",
  },
  perDay: {
    name: "EMAIL_NEWSLETTER_ADDRESS_PER_DAY",
    type: integer(0, 1000),
    default: "3",
    meaning: "Confirmation mails per address, newsletter and day; 0: no limit",
  },
  resendMs: {
    name: "EMAIL_NEWSLETTER_RESEND_MINUTES",
    type: integer(0, 1440, MINUTE_MS),
    default: "10",
    meaning: "Time between two confirmation mails to the same address for a newsletter; 0: no limit",
  },
  confirmMs: {
    name: "EMAIL_NEWSLETTER_CONFIRM_HOURS",
    type: hours(1, 720),
    default: "48",
    meaning: "Time for which the link of a confirmation mail is valid",
  },
  pendingDays: {
    name: "EMAIL_NEWSLETTER_PENDING_DAYS",
    type: integer(1, 365),
    default: "7",
    meaning:
      "Days after which addresses are deleted: of unconfirmed subscribers after their last confirmation mail, of others after they unsubscribed",
  },
} as const satisfies SettingsTable;
