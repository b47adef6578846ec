/** Extensions of files that pages load. A missing one must not be answered with HTML, which a browser would run or show as one. */
const assetExtension =
  /\.(?:aac|apng|avif|bmp|cjs|css|csv|cur|eot|flac|gif|glb|gltf|gz|hdr|heic|ico|jpe?g|js|json|jsonld|jsonp|jsx|jxl|less|lottie|m4a|m4v|map|md|mjs|mkv|mov|mp3|mp4|mpeg|oga|ogg|ogv|opus|otf|pdf|png|riv|rss|sass|scss|svgz?|tar|tgz|tiff?|ts|tsv|tsx|ttc|ttf|txt|vtt|wasm|wav|weba|webm|webmanifest|webp|woff2?|xml|ya?ml|zip)$/iu;

/** Folders whose files never change under the same name, as their frameworks document: SvelteKit and Next. */
const immutableFolder = /^(?:_app\/immutable|_next\/static)\//u;

/** Eight characters of base64url before the extension, as Vite, Rollup and esbuild name files. */
const shortHash = /[.-]([\w-]{8})\.[a-z0-9]+(?:\.map)?$/iu;
/** At least eight hex digits before the extension, as webpack and others name files. */
const hexHash = /(?:^|[./_-])([0-9a-f]{8,64})(?:\.[a-z]+)*\.[a-z0-9]+$/u;

/** Returns whether a path has the extension of a file that pages load. */
export const isAsset = (path: string): boolean => assetExtension.test(path);

/**
 * Returns whether a path names its content by a hash, so that clients can cache it for good. A word or a date does not count as a
 * hash: eight characters need a digit and a letter or two capitals after the first character, hex digits need a digit and a letter.
 */
export function hasContentHash(path: string): boolean {
  if (!isAsset(path)) return false;
  if (immutableFolder.test(path)) return true;
  const [, hex = ""] = hexHash.exec(path) ?? [];
  if (/\d/u.test(hex) && /[a-f]/u.test(hex)) return true;
  const [, short = ""] = shortHash.exec(path) ?? [];
  return (/\d/u.test(short) && /[a-z]/iu.test(short)) || /^.+[A-Z].*[A-Z]/u.test(short);
}

/**
 * Returns the path of the file that a URL path names, without the leading slash, or null when no file can have it: malformed
 * percent-encoding, or an encoded slash, backslash or NUL.
 */
export function decodePath(pathname: string): string | null {
  try {
    const segments = pathname.slice(1).split("/").map(decodeURIComponent);
    return segments.some((segment) => /[/\\\0]/u.test(segment)) ? null : segments.join("/");
  } catch {
    return null;
  }
}

/** Returns whether gzip makes files of a media type smaller. */
export const isCompressible = (type: string): boolean =>
  /^(?:text\/|application\/(?:javascript|json|xml|wasm|manifest\+json|rss\+xml|[a-z.-]+\+(?:json|xml))|image\/(?:svg\+xml|bmp|vnd\.microsoft\.icon)|font\/(?:ttf|otf))/iu.test(
    type,
  );

/** Returns whether browsers show a media type as a document with scripts or plugins, which a frame can contain. */
export const isDocument = (type: string): boolean =>
  /^(?:text\/(?:html|xml|plain)|application\/(?:xhtml\+xml|xml|pdf)|image\/svg\+xml)/iu.test(type);
