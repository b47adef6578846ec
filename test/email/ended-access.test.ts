import { startEmail } from "../support/email/email";
import { checkEndedAccess } from "../support/sibling/ended-access-suite";

checkEndedAccess(startEmail, {
  byServiceKey: ["post /api/v1/send", "post /api/v1/send/batch", "post /api/v1/events"],
});
