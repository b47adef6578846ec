import { relative } from "node:path";
import type { Finding } from "../../schemas/shell/page.ts";

/** A path in a value: keys and indexes from the root. */
export type KeyPath = readonly (string | number)[];
/** A position in a file; lines and columns start at 1. */
export type Position = { file: string; line: number; column: number };
/** Whether to locate the name of a property (`key`) or its value. */
export type Part = "key" | "value";
/** Returns the source position of the value at a path. */
export type Locate = (path: KeyPath, part?: Part) => Position;

export type Report = (
  code: string,
  path: KeyPath,
  sentence: string,
  options?: { level?: Finding["level"]; part?: Part; position?: Position },
) => void;

/** Returns a path as text: `navigation[2].path`, and `messages["fr-CA"]` for a key that is not an identifier. */
export function showPath(path: KeyPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}

/** Returns a list of findings and a function that adds to it. Ignores a second finding with the same code and path. */
export function collectFindings(locate: Locate): { findings: Finding[]; report: Report } {
  const findings: Finding[] = [];
  const reportedKeys = new Set<string>();
  const report: Report = (code, path, sentence, { level = "error", part = "value", position } = {}) => {
    const key = `${code} ${showPath(path)} ${position?.file ?? ""}`;
    if (reportedKeys.has(key)) return;
    reportedKeys.add(key);
    findings.push({ ...(position ?? locate(path, part)), level, code, path: showPath(path), sentence });
  };
  return { findings, report };
}

/** Returns an error about a whole file. */
export function fileFinding(code: string, file: string, sentence: string, position = { line: 1, column: 1 }): Finding {
  return { file, ...position, level: "error", code, path: "", sentence };
}

/** Returns the findings sorted by file, line, column and code. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column || a.code.localeCompare(b.code),
  );
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === "error");
}

/**
 * Returns one line per finding, with file paths relative to `cwd`, then a line with the number of errors and warnings.
 * Returns an empty list if there are no findings.
 */
export function formatFindings(findings: readonly Finding[], cwd: string): string[] {
  if (findings.length === 0) return [];
  const lines = sortFindings(findings).map(({ file, line, column, level, code, path, sentence }) => {
    const position = `${relative(cwd, file) || file}:${line}:${column}`;
    return `${position} ${level} ${code}${path === "" ? ":" : ` ${path}:`} ${sentence}`;
  });
  const errors = findings.filter(({ level }) => level === "error").length;
  const counts = [count(errors, "error"), count(findings.length - errors, "warning")].filter((text) => text !== "");
  return [...lines, counts.join(", ")];
}

function count(number: number, noun: string): string {
  if (number === 0) return "";
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
