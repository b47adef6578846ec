import { createHash } from "node:crypto";
import { apiDiff } from "api-smart-diff";

/** Why the baseline is what it is: the line of CHANGELOG.md it was accepted with, and the SHA-256 of each document. */
export type Acceptance = { line: string; sha256: Record<string, string> };

/** Texts by service: the documents made from the routes, those in openapi/ and those in openapi/baseline/, null where none is. */
export type DocumentState = {
  made: Record<string, string>;
  stored: Record<string, string | null>;
  baseline: Record<string, string | null>;
  acceptance: Acceptance;
  changelog: string;
};

/** Returns the SHA-256 of a text in hex. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Returns the changes from one OpenAPI document to the next that break clients, such as `remove paths /api/v1/send post`: removed
 * operations, parameters, answers and fields, requests that accept less, new required fields. Components are judged where an
 * operation uses them.
 */
export function findBreakingChanges(before: object, after: object): string[] {
  const diffs = apiDiff(before, after).filter(({ type, action, path }) => {
    // The package takes the removal of an optional field for harmless; clients that read or send it break.
    const isRemovedField = action === "remove" && path.at(-2) === "properties";
    return path[0] !== "components" && (type === "breaking" || isRemovedField);
  });
  return [...new Set(diffs.map(({ action, path }) => `${action} ${path.join(" ")}`))];
}

/** Returns what is wrong with openapi/, each with the command that repairs it; empty when all is well. */
export function checkDocuments({ made, stored, baseline, acceptance, changelog }: DocumentState): string[] {
  const problems = Object.entries(made).flatMap(([service, text]) => {
    const stale = stored[service] === text ? [] : [`openapi/${service}.json is stale: run npm run documents`];
    const before = baseline[service] ?? null;
    const accepted = acceptance.sha256[service];
    // A service that was never accepted has promised nothing.
    if (before === null && accepted === undefined) return stale;
    if (before === null || sha256(before) !== accepted) {
      return [...stale, `openapi/baseline/${service}.json is not what was accepted: restore it from git`];
    }
    const breaking = findBreakingChanges(JSON.parse(before), JSON.parse(text));
    return [...stale, ...breaking.map((change) => `${service} breaks clients: ${change}`)];
  });
  const { line } = acceptance;
  if (line === "" || !changelog.includes(line)) problems.push(`CHANGELOG.md lacks the accepted line "${line}"`);
  return problems;
}
