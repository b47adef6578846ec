import { existsSync, mkdirSync, readFileSync, renameSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSource } from "../load.ts";
import { runScript } from "../processes/children.ts";
import { type Service, services } from "../services.ts";

type Apis = Record<Service, unknown> & { makeDocuments: (api: unknown) => Record<string, object> };

const pathOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
/** The folder from which the Workers serve the API pages. */
const target = pathOf(".generated/docs/static/docs/");

const source = [
  'export { makeDocuments } from "./kit/http/openapi/document";',
  ...services.map((service) => `export { api as ${service} } from "./${service}/app";`),
];

/** Returns the OpenAPI documents of the services by name, such as `identity` and `identity-scim`, generated from their routes. */
export async function makeApiDocuments(): Promise<Record<string, object>> {
  const { makeDocuments, ...apis } = await loadSource<Apis>(source.join("\n"), pathOf("workers/"));
  return Object.assign({}, ...services.map((service) => makeDocuments(apis[service])));
}

/**
 * Writes the OpenAPI documents of the services to the assets of the Workers, if they have changed. Restores the files of the
 * API pages if they are missing, for example after `npm ci --ignore-scripts`.
 */
export async function writeApiDocuments(): Promise<void> {
  if (!existsSync(join(target, "redoc-start.js"))) await runScript("scripts/generate-docs-assets.mjs", []);
  const documents = await makeApiDocuments();
  mkdirSync(target, { recursive: true });
  for (const [name, document] of Object.entries(documents)) {
    const text = JSON.stringify(document);
    const path = join(target, `${name}.json`);
    if (text === textOf(path)) continue;
    // Rename, so that a running Worker never reads a partial file.
    const draft = pathOf(`.generated/${name}.${process.pid}.json`);
    writeFileSync(draft, text);
    renameSync(draft, path);
  }
}

/** Regenerates the documents when a source changes, until the process ends. Wrangler serves the new files at once. */
export function followSources(): void {
  let timer: NodeJS.Timeout | undefined;
  const regenerate = () =>
    runScript("scripts/generate-api-documents.ts", []).catch((error: unknown) => console.error(error));
  for (const folder of ["workers", "schemas"]) {
    watch(pathOf(folder), { recursive: true, persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void regenerate(), 500);
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
