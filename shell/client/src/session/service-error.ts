import type { Translate } from "../i18n/translate.ts";

/** Error of a call to a service. Without a response, `status` is 0 and `code` is `unreachable`. `retryAfter` is in seconds. */
export type ServiceError = Error & {
  code: string;
  status: number;
  retryAfter: number | null;
  requestId: string | null;
};

type Details = Partial<Pick<ServiceError, "status" | "retryAfter" | "requestId">>;

/** Creates a ServiceError. */
export function serviceError(
  code: string,
  { status = 0, retryAfter = null, requestId = null }: Details = {},
): ServiceError {
  return Object.assign(new Error(code), { code, status, retryAfter, requestId });
}

/** Returns a caught error if it is a ServiceError, else a ServiceError with the code `unreachable`. */
export function toServiceError(error: unknown): ServiceError {
  const isServiceError =
    error instanceof Error && "code" in error && "status" in error && typeof error.code === "string";
  return isServiceError ? (error as ServiceError) : serviceError("unreachable");
}

/** Returns random bytes as base64url. */
export function randomText(bytes: number): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

export const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Returns a random UUID, also on pages without HTTPS. */
export function randomUuid(): string {
  if (crypto.randomUUID !== undefined) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns the details of an error for support: "Code", the code and the request id. */
export const supportCode = ({ code, requestId }: Pick<ServiceError, "code" | "requestId">, t: Translate): string =>
  t("common.code", { code: requestId === null ? code : `${code} · ${requestId}` });
