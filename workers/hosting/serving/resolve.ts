import type { ManifestFile } from "../../../schemas/hosting/manifest";
import type { LoadedManifest } from "../live/manifests";
import { findRedirect, MAX_URL } from "../rules/compiled-rules";
import { decodePath, isAsset } from "./names";

/** What a deployment responds to a path. `missing_asset` names the file that other deployments may have. */
export type Resolution =
  | { kind: "file"; path: string; file: ManifestFile; status: 200 | 404 }
  | { kind: "redirect"; status: number; location: string }
  | { kind: "missing_asset"; path: string }
  | { kind: "not_found" };

const redirectTo = (pathname: string, { search }: URL): Resolution => ({
  kind: "redirect",
  status: 307,
  location: pathname + search,
});

/**
 * Resolves a URL: first the redirects, then the exact file, `{path}.html` and `{path}/index.html`, then `not_found` of the deployment.
 * A path with the extension of an asset never resolves to a page. An overlong path resolves to nothing.
 */
export function resolveUrl(manifest: LoadedManifest, url: URL): Resolution {
  if (url.pathname.length > MAX_URL) return missing(url.pathname) ?? { kind: "not_found" };
  const redirect = findRedirect(manifest.rules, url);
  if (redirect !== null && redirect.status !== 200) return { kind: "redirect", ...redirect };
  // The target of a rewrite is relative to the host of the request.
  const target = redirect === null ? url : (URL.parse(redirect.location, url.origin) ?? url);
  const path = decodePath(target.pathname);
  const found = path === null ? null : findFile(manifest, path);
  if (found !== null) {
    const isCanonical = found.isCanonical || redirect !== null;
    return isCanonical ? fileAt(found.path, found.file, 200) : redirectTo(canonicalPath(target.pathname), url);
  }
  return missing(path ?? target.pathname) ?? notFound(manifest);
}

const missing = (path: string): Resolution | null => (isAsset(path) ? { kind: "missing_asset", path } : null);

const fileAt = (path: string, file: ManifestFile, status: 200 | 404): Resolution => ({
  kind: "file",
  path,
  file,
  status,
});

type Found = { path: string; file: ManifestFile; isCanonical: boolean };

/**
 * Finds the file of a path. As at Cloudflare, the page of a folder has a trailing slash and any other page has none; the other form is
 * not canonical, so that relative links of a page always have the same base.
 */
function findFile({ files }: LoadedManifest, path: string): Found | null {
  const at = (name: string, isCanonical: boolean): Found | null => {
    const file = files.get(name);
    return file === undefined ? null : { path: name, file, isCanonical };
  };
  if (path === "" || path.endsWith("/")) {
    return at(`${path}index.html`, true) ?? (path === "" ? null : at(`${path.slice(0, -1)}.html`, false));
  }
  return at(path, true) ?? at(`${path}.html`, true) ?? at(`${path}/index.html`, false);
}

/** Returns a path with its trailing slash added or removed. A path of several slashes must not become a URL of another host. */
function canonicalPath(pathname: string): string {
  const other = pathname.endsWith("/") ? pathname.slice(0, -1) : `${pathname}/`;
  return other.replace(/^\/+/u, "/");
}

function notFound({ files, notFound: mode }: LoadedManifest): Resolution {
  const [path, status] = mode === "spa" ? (["index.html", 200] as const) : (["404.html", 404] as const);
  const file = mode === "none" ? undefined : files.get(path);
  return file === undefined ? { kind: "not_found" } : fileAt(path, file, status);
}
