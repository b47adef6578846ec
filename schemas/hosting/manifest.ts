/** A file of a deployment: the SHA-256 of its bytes in hex, its size in bytes and its media type. */
export type ManifestFile = { sha256: string; size: number; type: string };

/** The files of a deployment by their path. */
export type ManifestFiles = Readonly<Record<string, ManifestFile>>;

/** What a deployment responds to a path without a file: `index.html` (200), `404.html` (404), or the platform's page (404). */
export type NotFound = "spa" | "page" | "none";

/** A rule of `_headers`: header values for matching paths. `remove` lists headers that earlier rules set. */
export type HeaderRule = { path: string; set: [name: string, value: string][]; remove: string[] };

/** A rule of `_redirects`. The status 200 serves another path of the deployment. */
export type RedirectRule = { from: string; to: string; status: 200 | 301 | 302 | 303 | 307 | 308 };

/** The stored manifest of a deployment, an R2 object that does not change after the deployment went live. */
export type Manifest = {
  v: 1;
  files: ManifestFiles;
  headers: HeaderRule[];
  redirects: RedirectRule[];
  not_found: NotFound;
};
