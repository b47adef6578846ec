import { createHash, randomInt } from "node:crypto";
import { type GoTrueError, goTrueError } from "./errors.ts";

/** A sent mail: `hash` is in its link, `code` in its text. */
type Sent = { email: string; type: string; hash: string; code: string; redirectTo: string; at: number };

/** Minimum time between two mails to one address, in ms. */
const PAUSE = 60_000;

const hashOf = (email: string, code: string) => createHash("sha224").update(`${email}${code}`).digest("hex");

/** Creates the store of sent mails whose link and code are not used yet, one per address. */
export function createMails() {
  const sent = new Map<string, Sent>();
  const expiredError = (message: string): GoTrueError => goTrueError(403, "otp_expired", message);
  const consume = (mail: Sent | undefined, message: string): Sent => {
    if (mail === undefined) throw expiredError(message);
    sent.delete(mail.email);
    return mail;
  };
  return {
    send(email: string, type: string, redirectTo: string) {
      const last = sent.get(email);
      const secondsToWait = last === undefined ? 0 : Math.ceil((last.at + PAUSE - Date.now()) / 1000);
      if (secondsToWait > 0) {
        const text = `For security purposes, you can only request this after ${secondsToWait} seconds.`;
        throw goTrueError(429, "over_email_send_rate_limit", text);
      }
      const code = String(randomInt(1_000_000)).padStart(6, "0");
      sent.set(email, { email, type, code, hash: hashOf(email, code), redirectTo, at: Date.now() });
    },
    /** Returns the last mail to an address. */
    last: (email: string) => sent.get(email),
    useLink: (hash: string, type: string) =>
      consume(
        [...sent.values()].find((mail) => mail.hash === hash && mail.type === type),
        "Email link is invalid or has expired",
      ),
    useCode(email: string, code: string) {
      const mail = sent.get(email);
      return consume(mail?.code === code ? mail : undefined, "Token has expired or is invalid");
    },
  };
}
