import type { KeyPath, Report } from "../findings.ts";

const placeholder = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
const secretName = /SECRET|PASSWORD|PRIVATE/i;
const scalar = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * Replaces `${NAME}` and `${NAME:-default}` with values of the environment. A string that is a single placeholder becomes a
 * number, a boolean or null if its value is the JSON of one.
 */
export function fillPlaceholders(value: unknown, env: NodeJS.ProcessEnv, report: Report, path: KeyPath = []): unknown {
  if (typeof value === "string") return fillText(value, env, report, path);
  if (Array.isArray(value)) return value.map((entry, index) => fillPlaceholders(entry, env, report, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, fillPlaceholders(entry, env, report, [...path, key])]),
  );
}

function fillText(text: string, env: NodeJS.ProcessEnv, report: Report, path: KeyPath): unknown {
  const filled = text.replace(placeholder, (match, name: string, fallback: string | undefined) => {
    if (secretName.test(name)) {
      const sentence = `\${${name}} looks like a secret, and the built page contains every value of the configuration. Remove it there.`;
      report("secret-in-config", path, sentence, { level: "warning" });
    }
    const variable = env[name] || fallback;
    if (variable !== undefined) return variable;
    if (env[name] === "") return "";
    report("unset-variable", path, `${name} is not set. Set it, or write \${${name}:-default}.`);
    return match;
  });
  const isSinglePlaceholder = text.replace(placeholder, "") === "" && text.match(placeholder)?.length === 1;
  return isSinglePlaceholder && scalar.test(filled) ? JSON.parse(filled) : filled;
}
