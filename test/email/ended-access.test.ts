import { startEmail } from "../support/email/email";
import { checkEndedAccess } from "../support/sibling/ended-access-suite";

checkEndedAccess(startEmail, {
  byServiceKey: [
    "post /api/v1/send",
    "post /api/v1/send/batch",
    "post /api/v1/events",
    "post /api/v1/emails",
    "post /api/v1/emails/batch",
    "patch /api/v1/emails/{id}",
    "post /api/v1/emails/{id}/cancel",
  ],
});
