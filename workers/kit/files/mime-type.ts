import { mimes } from "mrmime";

const OCTETS = "application/octet-stream";

/** Types that mrmime lacks or lists under an outdated name. The names come from the IANA registry. */
const typeOverrides: Record<string, string> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  eot: "application/vnd.ms-fontobject",
  flac: "audio/flac",
  ico: "image/vnd.microsoft.icon",
  jsonl: "application/jsonl",
  m3u8: "application/vnd.apple.mpegurl",
  odp: "application/vnd.oasis.opendocument.presentation",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odt: "application/vnd.oasis.opendocument.text",
  parquet: "application/vnd.apache.parquet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  rtf: "application/rtf",
  tar: "application/x-tar",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
};

const MAX_TYPE = 455;

/**
 * One media type with its parameters (RFC 9110 8.3.1). Browsers read an unquoted comma as the start of a second type.
 */
const typePattern =
  /^([a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127})(?:[ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[ !#-[\]-~]|\\[ -~])*"))*[ \t]*;?$/i;

/**
 * Types that browsers display or play without running scripts. The list is exact because browsers treat some types as
 * XML whatever their prefix.
 */
const passiveTypes =
  /^(?:(?:audio|video)\/[a-z0-9.-]+|image\/(?:apng|avif|bmp|gif|hei[cf]|jpeg|jxl|png|tiff|vnd\.microsoft\.icon|webp|x-icon)|application\/pdf|text\/plain)$/i;

/**
 * Returns the media type of an upload: the declared type, or the type that belongs to the file name when the declared
 * type is missing, malformed or `application/octet-stream`.
 */
export function mimeTypeOf(declaredType: string | null, path: string): string {
  const type = declaredType?.trim() ?? "";
  if (type.length <= MAX_TYPE && typePattern.test(type) && type.toLowerCase() !== OCTETS) return type;
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const types = Object.hasOwn(typeOverrides, ending) ? typeOverrides : mimes;
  // mrmime's table is a plain object; inherited keys must not match.
  return Object.hasOwn(types, ending) ? (types[ending] ?? OCTETS) : OCTETS;
}

/** Returns whether browsers display a type without running scripts; false for a type that cannot be parsed. */
export const isPassive = (mimeType: string): boolean => passiveTypes.test(typePattern.exec(mimeType)?.[1] ?? "");
