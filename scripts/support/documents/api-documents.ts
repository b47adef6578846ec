import { existsSync, mkdirSync, readFileSync, renameSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSource } from "../load.ts";
import { runScript } from "../processes/children.ts";
import { perService, type Service, services } from "../services.ts";

type Apis = Record<Service, unknown> & { makeDocument: (api: unknown) => object };

const pathOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
/** Where the Workers find their assets. */
const target = pathOf(".generated/docs/static/docs/");

const source = [
  'export { makeDocument } from "./kit/http/openapi/document";',
  ...services.map((service) => `export { api as ${service} } from "./${service}/app";`),
];

/** Returns the OpenAPI document of each service, made from its routes. */
export async function makeApiDocuments(): Promise<Record<Service, object>> {
  const { makeDocument, ...apis } = await loadSource<Apis>(source.join("\n"), pathOf("workers/"));
  return perService((service) => makeDocument(apis[service]));
}

/**
 * Puts the OpenAPI document of each service among its assets; a file that holds it already is left alone. The files of the
 * pages are there since `npm ci`, unless that ran without scripts or somebody has removed them.
 */
export async function writeApiDocuments(): Promise<void> {
  if (!existsSync(join(target, "redoc-start.js"))) await runScript("scripts/generate-docs-assets.mjs", []);
  const documents = await makeApiDocuments();
  mkdirSync(target, { recursive: true });
  for (const service of services) {
    const text = JSON.stringify(documents[service]);
    const path = join(target, `${service}.json`);
    if (text === textOf(path)) continue;
    // A concurrent reader (a Worker of another run) reads one complete version or the other.
    const draft = pathOf(`.generated/${service}.${process.pid}.json`);
    writeFileSync(draft, text);
    renameSync(draft, path);
  }
}

/** Makes the documents again when a source has changed, until the process ends; wrangler serves what it finds. */
export function followSources(): void {
  let timer: NodeJS.Timeout | undefined;
  const renew = () =>
    runScript("scripts/generate-api-documents.ts", []).catch((error: unknown) => console.error(error));
  for (const folder of ["workers", "schemas"]) {
    watch(pathOf(folder), { recursive: true, persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void renew(), 500);
    });
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
