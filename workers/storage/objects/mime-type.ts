import { basenameOf } from "./path";

const OCTETS = "application/octet-stream";

/** Types of names, for uploads that do not say theirs: what people store, by the registry of IANA. */
const typesByEnding: Record<string, string> = {
  aac: "audio/aac",
  avif: "image/avif",
  bmp: "image/bmp",
  css: "text/css",
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  eot: "application/vnd.ms-fontobject",
  epub: "application/epub+zip",
  flac: "audio/flac",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html",
  html: "text/html",
  ico: "image/vnd.microsoft.icon",
  ics: "text/calendar",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  jsonl: "application/jsonl",
  m4a: "audio/mp4",
  md: "text/markdown",
  mjs: "text/javascript",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  odp: "application/vnd.oasis.opendocument.presentation",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odt: "application/vnd.oasis.opendocument.text",
  ogg: "audio/ogg",
  otf: "font/otf",
  parquet: "application/vnd.apache.parquet",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  rtf: "application/rtf",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  tif: "image/tiff",
  tiff: "image/tiff",
  toml: "application/toml",
  tsv: "text/tab-separated-values",
  ttf: "font/ttf",
  txt: "text/plain",
  wasm: "application/wasm",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
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
  const ending = /\.([a-z0-9]{1,10})$/i.exec(basenameOf(path))?.[1]?.toLowerCase() ?? "";
  return typesByEnding[ending] ?? OCTETS;
}

/** Whether browsers run nothing of what they show of a type; of one that cannot be read that is not known. */
export const isPassive = (mimeType: string): boolean => passiveTypes.test(typePattern.exec(mimeType)?.[1] ?? "");
