import { Problem } from "../../problem";
import { readBytes } from "./body";

/** Returns the media type of a request in lower case and without parameters; "" without one. */
export function mediaTypeOf(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Returns whether browsers post forms with this media type. */
export function isForm(mediaType: string): boolean {
  return mediaType === "application/x-www-form-urlencoded" || mediaType === "multipart/form-data";
}

/** Reads the fields of a form of at most 64 KiB, without files. Throws 413, or 400 `body: [invalid]`. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const bytes = await readBytes(request, 65_536);
  const type = request.headers.get("content-type") ?? "";
  try {
    const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
    const pairs = [...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
    return new URLSearchParams(pairs);
  } catch (cause) {
    throw new Problem("validation_failed", { field_errors: { body: ["invalid"] }, cause });
  }
}
