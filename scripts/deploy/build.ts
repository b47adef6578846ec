import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { wrangler } from "../support/databases/databases.ts";
import { writeWorkerAssets } from "../support/documents/worker-assets.ts";
import { runScript } from "../support/processes/children.ts";
import { perWorker, type Worker, workers } from "../support/services.ts";
import { measureStartUp } from "../support/start/start-up.ts";

/** A binding in the metadata of an upload. */
export type Binding = { type: string; name: string } & Record<string, unknown>;
export type Metadata = { main_module: string; bindings: Binding[] } & Record<string, unknown>;
/** The upload of a Worker: what wrangler would send, split into metadata and files. */
export type Upload = {
  metadata: Metadata;
  files: [name: string, file: File][];
  /** the time in which workerd on this machine evaluates the main module, in ms */
  startUpMs?: number;
};
export type Uploads = Record<Worker, Upload>;

/** Reads an upload that wrangler wrote. The boundary of the form is its first line. */
async function readUpload(path: string): Promise<Upload> {
  const bytes = readFileSync(path);
  const boundary = bytes.subarray(2, bytes.indexOf("\r\n")).toString();
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  const form = await new Response(bytes, { headers }).formData();
  const metadata = JSON.parse(String(form.get("metadata"))) as Metadata;
  const files = [...form].flatMap(([name, value]): [string, File][] => (value instanceof File ? [[name, value]] : []));
  return { metadata, files };
}

/**
 * Lets wrangler bundle a Worker as for an upload, without sending it. Wrangler adds the token of the assets and the migrations
 * of Durable Objects only when it sends, so the caller adds them.
 */
async function buildUpload(config: string, folder: string, worker: Worker): Promise<Upload> {
  const outfile = join(folder, `${worker}.form`);
  await runScript(wrangler, ["deploy", "--dry-run", "--minify", "--outfile", outfile, "-c", config]);
  const upload = await readUpload(outfile);
  const [, main] = upload.files.find(([name]) => name === upload.metadata.main_module) ?? [];
  if (main === undefined) throw new Error(`The upload of ${worker} has no main module.`);
  const module = join(folder, `${worker}.js`);
  writeFileSync(module, await main.bytes());
  return { ...upload, startUpMs: (await measureStartUp(module, config)).median };
}

/** Builds all Workers. Writes the uploads to `folder`. */
export async function buildUploads(paths: Record<Worker, string>, folder: string): Promise<Uploads> {
  await writeWorkerAssets();
  const built = new Map<Worker, Upload>();
  for (const worker of workers) built.set(worker, await buildUpload(paths[worker], folder, worker));
  return perWorker((worker) => {
    const upload = built.get(worker);
    if (upload === undefined) throw new Error(`${worker} was not built.`);
    return upload;
  });
}

/** Returns the bytes of the modules of an upload, uncompressed and compressed, without source maps. */
export async function sizeOf({ files }: Upload): Promise<{ bytes: number; gzip: number }> {
  const modules = files.filter(([name]) => !name.endsWith(".map")).map(([, file]) => file.arrayBuffer());
  const content = Buffer.concat((await Promise.all(modules)).map((bytes) => Buffer.from(bytes)));
  return { bytes: content.length, gzip: gzipSync(content).length };
}
