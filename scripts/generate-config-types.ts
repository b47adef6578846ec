// `npm run config-types`: generates the JSON Schema and TypeScript types of the shell's configuration from its zod schema.
// `--check` only compares.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { shellConfig } from "../schemas/shell/config.ts";
import { configDescriptions } from "./support/documents/config-descriptions.ts";

type Schema = z.core.JSONSchema.BaseSchema;

const folder = fileURLToPath(new URL("../cli/published", import.meta.url));
const {
  $schema,
  $defs = {},
  ...top
} = z.toJSONSchema(shellConfig, {
  io: "input",
  override: ({ zodSchema, jsonSchema }) => {
    delete jsonSchema.id;
    if (zodSchema._zod.def.type === "object") jsonSchema.additionalProperties = false;
  },
});

/**
 * Adds descriptions to the keys of an object. Throws for a key without a description and for a description without a key.
 */
function describeKeys(name: string, schema: Schema | undefined): void {
  const { [name]: texts = {} } = configDescriptions;
  const properties = schema?.properties ?? {};
  const keys = new Set([...Object.keys(texts), ...Object.keys(properties)]);
  for (const key of keys) {
    const property = properties[key];
    const text = texts[key];
    if (typeof property !== "object" || text === undefined)
      throw new Error(`scripts/support/documents/config-descriptions.ts: ${name}.${key}`);
    property.description = text;
  }
}

const inner = (schema: Schema, key: string): Schema | undefined => {
  const property = schema.properties?.[key];
  return typeof property === "object" ? property : undefined;
};
for (const name of Object.keys(configDescriptions)) {
  const backend = inner(top, "backend");
  describeKeys(
    name,
    name === "ShellConfig"
      ? top
      : name === "login"
        ? backend && inner(backend, name)
        : ($defs[name] ?? inner(top, name)),
  );
}

/** Returns the TypeScript type of a JSON Schema, as precise as TypeScript allows. */
function typeOf(schema: Schema | boolean, indent: string): string {
  if (typeof schema === "boolean") return schema ? "unknown" : "never";
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "unknown";
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return options.map((option) => typeOf(option, indent)).join(" | ");
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const kinds: unknown = schema.type;
  if (Array.isArray(kinds)) return kinds.map((type) => typeOf({ ...schema, type }, indent)).join(" | ");
  switch (schema.type) {
    case "array": {
      const inner = typeOf((schema.items as Schema) ?? true, indent);
      return inner.includes(" | ") ? `readonly (${inner})[]` : `readonly ${inner}[]`;
    }
    case "object":
      return schema.properties === undefined ? recordOf(schema, indent) : objectOf(schema, indent);
    case "integer":
      return "number";
    default:
      return String(schema.type ?? "unknown");
  }
}

function recordOf({ additionalProperties = true }: Schema, indent: string): string {
  return `Readonly<Record<string, ${typeOf(additionalProperties, indent)}>>`;
}

function objectOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const lines = Object.entries(properties).map(([name, value]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const isRequired = required.includes(name);
    const { default: fallback, description } = typeof value === "boolean" ? {} : (value as Schema);
    const docText = [
      description && `${description}.`,
      fallback === undefined ? undefined : `Default ${JSON.stringify(fallback)}.`,
    ]
      .filter(Boolean)
      .join(" ");
    const comment = docText === "" ? "" : `${indent}  /** ${docText} */\n`;
    return `${comment}${indent}  ${key}${isRequired ? "" : "?"}: ${typeOf(value, `${indent}  `)}${isRequired ? "" : " | undefined"};`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

const types = [...Object.entries($defs), ["ShellConfig", top] as const].map(([name, schema]) => {
  return `export type ${name} = ${typeOf(schema as Schema, "")};\n`;
});
const files = {
  "config.schema.json": `${JSON.stringify({ $schema, title: "Configuration of a shell", ...top, $defs }, null, 1)}\n`,
  "config.d.ts": `// Written from schemas/shell/config.ts by scripts/generate-config-types.ts.\n\n${types.join("\n")}`,
};

const isCheck = process.argv.includes("--check");
for (const [name, text] of Object.entries(files)) {
  const file = join(folder, name);
  const old = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (old === text) continue;
  if (isCheck) {
    console.error(`cli/published/${name} is out of date: run \`npm run config-types\`.`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, text);
}
