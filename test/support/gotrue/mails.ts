import { createHash, randomInt } from "node:crypto";
import { type GoTrueRefusal, refuse } from "./refusal.ts";

/** What a mail holds, in its link (`hash`) and as text (`code`). */
type Sent = { email: string; type: string; hash: string; code: string; redirectTo: string; at: number };

/** How often one address is written to, ms. */
const PAUSE = 60_000;

const hashOf = (email: string, code: string) => createHash("sha224").update(`${email}${code}`).digest("hex");

/** Mails that were sent and not used yet; one an address. */
export function createMails() {
  const sent = new Map<string, Sent>();
  const gone = (message: string): GoTrueRefusal => refuse(403, "otp_expired", message);
  const take = (mail: Sent | undefined, message: string): Sent => {
    if (mail === undefined) throw gone(message);
    sent.delete(mail.email);
    return mail;
  };
  return {
    send(email: string, type: string, redirectTo: string) {
      const last = sent.get(email);
      const rest = last === undefined ? 0 : Math.ceil((last.at + PAUSE - Date.now()) / 1000);
      if (rest > 0) {
        const text = `For security purposes, you can only request this after ${rest} seconds.`;
        throw refuse(429, "over_email_send_rate_limit", text);
      }
      const code = String(randomInt(1_000_000)).padStart(6, "0");
      sent.set(email, { email, type, code, hash: hashOf(email, code), redirectTo, at: Date.now() });
    },
    /** The last one to an address. */
    last: (email: string) => sent.get(email),
    useLink: (hash: string, type: string) =>
      take(
        [...sent.values()].find((mail) => mail.hash === hash && mail.type === type),
        "Email link is invalid or has expired",
      ),
    useCode(email: string, code: string) {
      const mail = sent.get(email);
      return take(mail?.code === code ? mail : undefined, "Token has expired or is invalid");
    },
  };
}
