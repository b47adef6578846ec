// `npm run errors`: writes docs/specification/errors.md from the error code tables and the OpenAPI documents. `--check`
// only compares. Run it after `npm run documents`.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ErrorTable } from "../schemas/errors.ts";
import { foot, head, notes } from "./support/documents/error-texts.ts";
import { markdownTable, writeOrCheck } from "./support/generated-markdown.ts";
import { loadSource } from "./support/load.ts";
import { perService, type Service, services } from "./support/services.ts";

interface Operation {
  responses?: Record<string, { description?: string }>;
}

interface ErrorCode {
  code: string;
  status: number;
  message: string;
}

/** The paths by status and error code, and the methods by path. */
type OperationsByCode = Map<string, Map<string, string[]>>;

/** The page lists the operations of a code with at most this many paths, and otherwise only shows their number. */
const MAX_LISTED_PATHS = 8;

const root = fileURLToPath(new URL("..", import.meta.url));

const loadTables = (): Promise<Record<Service | "common" | "webhooks", ErrorTable>> =>
  loadSource(
    [
      'export { commonErrors as common } from "./errors";',
      'export { webhookErrors as webhooks } from "./webhooks/errors";',
      ...services.map((service) => `export { ${service}Errors as ${service} } from "./${service}/errors";`),
    ].join("\n"),
    `${root}/schemas`,
  );

const keyOf = (status: number | string, code: string): string => `${status} ${code}`;

/** Reads the documents of a service: its own, and those of protocols, such as `identity-scim`. */
function documentsOf(service: Service): { paths: Record<string, Record<string, Operation>> }[] {
  const files = readdirSync(`${root}/openapi`).filter((file) =>
    new RegExp(`^${service}(?:-[a-z]+)?\\.json$`).test(file),
  );
  return files.map((file) => JSON.parse(readFileSync(`${root}/openapi/${file}`, "utf8")));
}

/** Returns the operations of each error code. The description of a response lists its codes as `` `code`: message ``. */
function readOperations(service: Service): OperationsByCode {
  const operations: OperationsByCode = new Map();
  for (const [path, methods] of documentsOf(service).flatMap(({ paths }) => Object.entries(paths))) {
    for (const [method, { responses = {} }] of Object.entries(methods)) {
      for (const [status, { description = "" }] of Object.entries(responses)) {
        for (const [, code = ""] of description.matchAll(/`(\w+)`:/g)) {
          const paths = operations.get(keyOf(status, code)) ?? new Map<string, string[]>();
          paths.set(path, [...(paths.get(path) ?? []), method.toUpperCase()]);
          operations.set(keyOf(status, code), paths);
        }
      }
    }
  }
  return operations;
}

function formatOperations(paths: Map<string, string[]> = new Map()): string {
  if (paths.size > MAX_LISTED_PATHS) return `${[...paths.values()].flat().length} operations`;
  return [...paths]
    .map(([path, methods]) =>
      methods.map((method, index) => `\`${method}${index === methods.length - 1 ? ` ${path}` : ""}\``),
    )
    .map((methods) => methods.join(", "))
    .join("; ");
}

const unusedNotes = new Set(Object.keys(notes));

function meaningOf({ code, message }: ErrorCode): string {
  unusedNotes.delete(code);
  return notes[code] === undefined ? message : `${message} ${notes[code]}`;
}

const codesOf = (table: ErrorTable): ErrorCode[] =>
  Object.entries(table)
    .map(([key, { code = key, status, message }]) => ({ code, status, message }))
    .sort((left, right) => left.status - right.status);

function sectionOf(title: string, codes: ErrorCode[], operations?: OperationsByCode): string {
  const columns = ["Code", "Status", "Meaning", ...(operations ? ["Returned by"] : [])];
  const rows = codes.map((error) => [
    `\`${error.code}\``,
    String(error.status),
    meaningOf(error),
    ...(operations ? [formatOperations(operations.get(keyOf(error.status, error.code)))] : []),
  ]);
  return `\n## ${title}\n\n${markdownTable(columns, rows)}`;
}

const tables = await loadTables();
const operations = perService(readOperations);
const { internal_error } = tables.identity;
const common = { ...tables.common, ...(internal_error && { internal_error }) };
const shared = new Set([...Object.keys(common), ...Object.keys(tables.webhooks)]);

const text = [
  head,
  sectionOf("Common error codes", codesOf(common)),
  sectionOf("Webhook error codes", codesOf(tables.webhooks), operations.identity),
  ...services.map((service) => {
    const codes = Object.entries(tables[service]).filter(([key]) => !shared.has(key));
    const title = `${service.charAt(0).toUpperCase()}${service.slice(1)} error codes`;
    return sectionOf(title, codesOf(Object.fromEntries(codes)), operations[service]);
  }),
  foot,
].join("");
if (unusedNotes.size > 0)
  throw new Error(`scripts/support/documents/error-texts.ts: no error code ${[...unusedNotes].join(", ")}`);
writeOrCheck("docs/specification/errors.md", text, "errors");
