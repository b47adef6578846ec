import { bytesToBase64url } from "../../../kit/crypto/encoding";
import { hmacSha256, timingSafeEqual } from "../../../kit/crypto/hash";
import type { EmailSettings } from "../../settings";

/** The version of a template that a web link shows. The link is the same for all recipients, so it names none of them. */
export type WebVersion = { companyId: number; versionId: number };

const TOKEN_PATTERN = /^([1-9]\d{0,15})\.([1-9]\d{0,15})\.([A-Za-z0-9_-]{43})$/;

const sign = async (pepper: Uint8Array, { companyId, versionId }: WebVersion): Promise<string> =>
  bytesToBase64url(await hmacSha256(pepper, `web|${companyId}|${versionId}`));

/** Returns the URL of the web version of a broadcast. It never expires. */
export async function createWebLink(
  settings: Pick<EmailSettings, "publicBaseUrl" | "rawKeys">,
  version: WebVersion,
): Promise<string> {
  const signature = await sign(settings.rawKeys.pepper, version);
  return `${settings.publicBaseUrl}/v/${version.companyId}.${version.versionId}.${signature}`;
}

/** Returns the content of a token, or null when its format or signature is invalid. Any of `peppers` may have signed it. */
export async function readWebToken(peppers: readonly Uint8Array[], token: string): Promise<WebVersion | null> {
  const [, company, id, signature = ""] = TOKEN_PATTERN.exec(token) ?? [];
  const version = { companyId: Number(company), versionId: Number(id) };
  if (!Number.isSafeInteger(version.companyId) || !Number.isSafeInteger(version.versionId)) return null;
  for (const pepper of peppers) {
    if (timingSafeEqual(await sign(pepper, version), signature)) return version;
  }
  return null;
}
