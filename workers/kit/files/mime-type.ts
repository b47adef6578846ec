import { mimes } from "mrmime";

const OCTETS = "application/octet-stream";

/** Types of names that mrmime lacks, or of which it has the former one; by the registry of IANA. */
const ownTypes: Record<string, string> = {
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

/** One media type with its parameters (RFC 9110 8.3.1). A comma outside a quoted text would begin another one for a browser. */
const typePattern =
  /^([a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127})(?:[ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[ !#-[\]-~]|\\[ -~])*"))*[ \t]*;?$/i;

/** Types that browsers show or play and run nothing of. Of other names some are XML to them, whatever they begin with. */
const passiveTypes =
  /^(?:(?:audio|video)\/[a-z0-9.-]+|image\/(?:apng|avif|bmp|gif|hei[cf]|jpeg|jxl|png|tiff|vnd\.microsoft\.icon|webp|x-icon)|application\/pdf|text\/plain)$/i;

/** The media type of an upload: what it says, unless that is nothing, unreadable or octets, then by its name. */
export function mimeTypeOf(said: string | null, path: string): string {
  const type = said?.trim() ?? "";
  if (type.length <= MAX_TYPE && typePattern.test(type) && type.toLowerCase() !== OCTETS) return type;
  const ending = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const known = Object.hasOwn(ownTypes, ending) ? ownTypes : mimes;
  // The table of mrmime is a plain object, whose prototype has names too.
  return Object.hasOwn(known, ending) ? (known[ending] ?? OCTETS) : OCTETS;
}

/** Whether browsers run nothing of what they show of a type; of one that cannot be read that is not known. */
export const isPassive = (mimeType: string): boolean => passiveTypes.test(typePattern.exec(mimeType)?.[1] ?? "");
