import { type Bound, followedBy } from "../../../kit/db/statement";
import { DAY_MS } from "../../../kit/time";
import { attemptMail } from "../../mail/outbox/mail";
import type { IdentityServices } from "../../services";
import { insertNewDeviceEvent, insertNewDeviceMail } from "./new-device.store";

/** How long the mail is retried while the email service is unavailable. */
const MAIL_LIFE_MS = DAY_MS;

/**
 * Returns the statement that inserts the event and the mail about a session on a new device. It must run after the insert of
 * the session, in the same batch.
 */
export function newDeviceNotice({ requestId, newEventId }: IdentityServices, sid: string, now: number): Bound {
  return followedBy(
    insertNewDeviceEvent({ sid, eventId: newEventId(), now }),
    insertNewDeviceMail({ sid, key: `new-device-${sid}`, now, deadline: now + MAIL_LIFE_MS, requestId }),
  );
}

/** Makes the first attempt to send a session's new-device mail after the response, if the company has enabled such mails. */
export function sendNewDeviceMail(services: IdentityServices, sid: string, isEnabled: boolean): void {
  if (isEnabled) services.afterResponse(() => attemptMail(services, sid));
}
