import { createHash } from "node:crypto";
import { extname } from "node:path";
import { lookup } from "mrmime";
import type { Cloudflare } from "./client.ts";

type Session = { jwt?: string; buckets?: string[][] };
type Manifest = Record<string, { hash: string; size: number }>;

const HASH_LENGTH = 32;

/** Returns the manifest of assets. Cloudflare compares the hashes only with each other, so wrangler's may differ. */
export function manifestOf(assets: ReadonlyMap<string, Buffer>): Manifest {
  const entries = [...assets].map(([path, content]) => {
    const hash = createHash("sha256").update(content).update(extname(path)).digest("hex").slice(0, HASH_LENGTH);
    return [path, { hash, size: content.length }] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Uploads the assets of a Worker that Cloudflare does not have yet. `script` is the path of the Worker in the API. Returns the
 * token that attaches them to the upload of the Worker.
 */
export async function uploadAssets(
  api: Cloudflare,
  account: string,
  script: string,
  assets: ReadonlyMap<string, Buffer>,
): Promise<string> {
  const manifest = manifestOf(assets);
  const session = await api.call<Session>("POST", `${script}/assets-upload-session`, { json: { manifest } });
  const byHash = new Map(Object.entries(manifest).map(([path, { hash }]) => [hash, path]));
  let token = session.jwt;
  for (const bucket of session.buckets ?? []) {
    const form = new FormData();
    for (const hash of bucket) {
      const path = byHash.get(hash) ?? "";
      const content = assets.get(path)?.toString("base64") ?? "";
      form.append(hash, new File([content], hash, { type: lookup(path) ?? "application/null" }), hash);
    }
    const path = `/accounts/${account}/workers/assets/upload`;
    const uploaded = await api.call<Session>("POST", path, {
      query: { base64: "true" },
      form,
      ...(session.jwt === undefined ? {} : { token: session.jwt }),
    });
    token = uploaded?.jwt ?? token;
  }
  if (token === undefined) throw new Error(`Cloudflare returned no token for the assets of ${script}.`);
  return token;
}
