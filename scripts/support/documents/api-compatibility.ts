import { createHash } from "node:crypto";
import { apiDiff } from "api-smart-diff";

/**
 * Records that the OpenAPI documents were accepted as the baseline (`npm run documents -- --accept`). Later documents must not break
 * clients of the baseline. `line` is the line that the command added to CHANGELOG.md, and `sha256` has the hash of each document.
 */
export type Acceptance = { line: string; sha256: Record<string, string> };

/**
 * The documents by name: generated from the routes, stored in openapi/, and stored in openapi/baseline/. A missing
 * file is null.
 */
export type DocumentState = {
  generated: Record<string, string>;
  stored: Record<string, string | null>;
  baseline: Record<string, string | null>;
  acceptance: Acceptance;
  changelog: string;
};

/** Returns the SHA-256 of a text in hex. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Returns the changes between two OpenAPI documents that break clients, such as `remove paths /api/v1/send post`. These
 * are removed operations, parameters, responses and fields, stricter requests, and new required fields. A component is
 * compared in the operations that use it.
 */
export function findBreakingChanges(before: object, after: object): string[] {
  const diffs = apiDiff(before, after).filter(({ type, action, path }) => {
    // api-smart-diff treats the removal of an optional field as harmless, but clients that read or send it break.
    const isRemovedField = action === "remove" && path.at(-2) === "properties";
    return path[0] !== "components" && (type === "breaking" || isRemovedField);
  });
  return [...new Set(diffs.map(({ action, path }) => `${action} ${path.join(" ")}`))];
}

/** Returns the problems of the documents in openapi/ and of the accepted line in CHANGELOG.md, one text for each problem. */
export function checkDocuments({ generated, stored, baseline, acceptance, changelog }: DocumentState): string[] {
  const problems = Object.entries(generated).flatMap(([name, text]) => {
    const stale = stored[name] === text ? [] : [`openapi/${name}.json is stale: run npm run documents`];
    const before = baseline[name] ?? null;
    const accepted = acceptance.sha256[name];
    // Breaking changes are allowed in a document that has no baseline yet.
    if (before === null && accepted === undefined) return stale;
    if (before === null || sha256(before) !== accepted) {
      return [...stale, `openapi/baseline/${name}.json is not what was accepted: restore it from git`];
    }
    const breaking = findBreakingChanges(JSON.parse(before), JSON.parse(text));
    return [...stale, ...breaking.map((change) => `${name} breaks clients: ${change}`)];
  });
  const { line } = acceptance;
  if (line === "" || !changelog.includes(line)) problems.push(`CHANGELOG.md lacks the accepted line "${line}"`);
  return problems;
}
