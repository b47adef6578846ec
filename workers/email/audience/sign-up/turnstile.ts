import { isObject } from "../../../kit/json";
import { errorName } from "../../../kit/log";
import { readBoundedText } from "../../../kit/net/bounded-text";
import { withTimeout } from "../../../kit/timeout";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";

const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 16_384;
/** Error codes of Turnstile that are the fault of the settings or of Turnstile, not of the visitor. */
const FAULTS = ["missing-input-secret", "invalid-input-secret", "bad-request", "internal-error"];

/** The origin that serves the script of the Turnstile widget. */
export const TURNSTILE_SCRIPT = "https://challenges.cloudflare.com/turnstile/v0/api.js";

/**
 * Verifies the response token of the Turnstile widget, which works once. Throws 400 `turnstile_failed` when the visitor did not
 * pass, and 503 `turnstile_unavailable` when Turnstile does not answer within 5 seconds, answers with an error status, or
 * rejects the secret.
 */
export async function verifyTurnstile(
  services: Pick<EmailServices, "settings" | "fetch" | "log">,
  { secret, token, ip }: { secret: string; token: string; ip: string | null },
): Promise<void> {
  if (token === "") throw new Problem("turnstile_failed");
  const answer = await ask(services, { secret, response: token, ...(ip === null ? {} : { remoteip: ip }) });
  if (answer.success === true) return;
  const codes: unknown[] = Array.isArray(answer["error-codes"]) ? answer["error-codes"] : [];
  const fault = FAULTS.find((code) => codes.includes(code));
  if (fault === undefined) throw new Problem("turnstile_failed");
  services.log.warn("Turnstile rejected the request", { code: fault });
  throw new Problem("turnstile_unavailable");
}

async function ask(
  { settings, fetch, log }: Pick<EmailServices, "settings" | "fetch" | "log">,
  fields: Record<string, string>,
): Promise<Record<string, unknown>> {
  const controller = new AbortController();
  try {
    const call = async () => {
      const response = await fetch(settings.newsletters.turnstileVerifyUrl, {
        method: "POST",
        body: new URLSearchParams(fields),
        redirect: "manual",
        signal: controller.signal,
      });
      if (!response.ok) {
        log.warn("Turnstile answered with an error status", { status: response.status });
        throw new Error("the answer is an error");
      }
      return JSON.parse(await readBoundedText(response, MAX_ANSWER_BYTES)) as unknown;
    };
    const answer = await withTimeout(call(), TIMEOUT_MS);
    if (isObject(answer) && typeof answer.success === "boolean") return answer;
    throw new Error("the answer has no result");
  } catch (cause) {
    controller.abort();
    log.warn("Turnstile did not respond", { cause: errorName(cause) });
    throw new Problem("turnstile_unavailable", { cause });
  }
}
