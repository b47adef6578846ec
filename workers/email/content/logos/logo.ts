import type { BrandingRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import { LOGO_LIMITS, LOGO_SCHEMES, type LogoScheme } from "../../../../schemas/email/content/branding";
import { bytesToHex } from "../../../kit/crypto/encoding";
import { sha256 } from "../../../kit/crypto/hash";
import { readFile } from "../../../kit/files/body";
import { IMAGE_TYPES, type ImageInfo, readImage } from "../../../kit/files/image";
import { putBytes } from "../../../kit/files/r2-body";
import { mediaTypeOf } from "../../../kit/http/request/form";
import { toRetryAfterSeconds } from "../../../kit/limits/limiter";
import type { Counter } from "../../../kit/limits/sliding-window";
import { invalid } from "../../../kit/problem";
import { HOUR_MS } from "../../../kit/time";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { setLogo } from "../branding/branding";
import { logoKey, logoUrl } from "./logo-file";

/** A valid image and the SHA-256 of its bytes in lower-case hex. */
type Logo = ImageInfo & { bytes: Uint8Array; sha256: string };

/** Returns the backgrounds that the `scheme` of a query names, `light` by default. Throws 400 `scheme: [invalid]`. */
export function readScheme({ scheme = "light" }: Record<string, string>): LogoScheme {
  const known = LOGO_SCHEMES.find((name) => name === scheme);
  if (known === undefined) throw invalid({ scheme: ["invalid"] });
  return known;
}

/** Limits uploads to 30 per hour and company, because stored logos are never deleted. Throws 429 `rate_limited`. */
export async function limitUploads({ limiter }: Pick<EmailServices, "limiter">, companyId: number): Promise<void> {
  const counter: Counter = { key: "logo-uploads", limit: 30, windowMs: HOUR_MS };
  const decision = await limiter.reserve(`company:${companyId}`, [counter]);
  if (decision.ok) return;
  throw new Problem("rate_limited", { headers: { "retry-after": String(toRetryAfterSeconds(decision)) } });
}

/**
 * Reads and validates the uploaded image. Throws 415 `unsupported_media_type`, 413 `payload_too_large`, or 400
 * `incomplete_body`, `image_invalid`, `image_type_mismatch` or `image_too_many_pixels`.
 */
export async function readLogo(request: Request): Promise<Logo> {
  const type = mediaTypeOf(request);
  if (!IMAGE_TYPES.some((allowed) => allowed === type)) throw new Problem("unsupported_media_type");
  const bytes = await readFile(request, LOGO_LIMITS.bytes);
  const image = readImage(bytes);
  if (image === null) throw new Problem("image_invalid");
  if (image.type !== type) throw new Problem("image_type_mismatch");
  const sides = [image.width, image.height];
  if (sides.some((side) => side < 1 || side > LOGO_LIMITS.side)) throw new Problem("image_too_many_pixels");
  return { ...image, bytes, sha256: bytesToHex(await sha256(bytes)) };
}

/**
 * Stores a logo and sets it in the branding of the company. Returns the new branding. The bytes are stored first: an
 * interrupted request may leave an unused object, but never a logo without bytes. Throws 502 `storage_error`.
 */
export async function storeLogo(
  services: EmailServices,
  companyId: number,
  scheme: LogoScheme,
  logo: Logo,
  actor: AuditActor,
): Promise<BrandingRow | null> {
  const { bytes, sha256, type, width, height } = logo;
  await putOnce(services, logo);
  const url = logoUrl(services.settings, sha256);
  const image = { sha256, type, width, height, size: bytes.length };
  return setLogo(services, companyId, { scheme, url, image }, actor);
}

/** Stores the bytes unless the key exists. Companies can share a key, and R2 rejects two writes of a key within a second. */
async function putOnce({ objects }: Pick<EmailServices, "objects">, { bytes, sha256, type }: Logo): Promise<void> {
  const key = logoKey(sha256);
  const isStored = () => objects.head(key).then((object) => object !== null);
  try {
    if (await isStored()) return;
    await putBytes({ objects }, key, bytes, { md5: null, sha256 }, type);
  } catch (cause) {
    // Another request may have stored the same bytes at the same time.
    if (!(await isStored().catch(() => false))) throw new Problem("storage_error", { cause });
  }
}
