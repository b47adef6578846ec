import { bytesToBase64url, utf8ToBytes } from "../../../kit/crypto/encoding";
import { sha256, timingSafeEqual } from "../../../kit/crypto/hash";
import { Problem } from "../../problem";

/** Returns the S256 challenge of a verifier (RFC 7636, section 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  return bytesToBase64url(await sha256(utf8ToBytes(verifier)));
}

/**
 * Throws 400 `code_verifier_required` for a missing verifier and `code_verifier_invalid` for one that does not match the
 * challenge. Accepts any verifier when the sign-in began without a challenge.
 */
export async function checkVerifier(challenge: string | null, verifier: string | undefined): Promise<void> {
  if (challenge === null) return;
  if (verifier === undefined) throw new Problem("code_verifier_required");
  if (!timingSafeEqual(challenge, await challengeOf(verifier))) throw new Problem("code_verifier_invalid");
}
