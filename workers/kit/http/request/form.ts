import { Problem } from "../../problem";
import { readBytes } from "./body";

/** The media type of a request in lower case and without parameters; "" when it names none. */
export function mediaTypeOf(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Whether a media type is one that browsers post forms with. */
export function isForm(mediaType: string): boolean {
  return mediaType === "application/x-www-form-urlencoded" || mediaType === "multipart/form-data";
}

/** The fields of a form of at most 64 KiB; files count as missing. 413; 400 `body: [invalid]`. */
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
