// The module that is preloaded into the process that evaluates a configuration. It reports thrown errors and sends the
// result as plain data. It is a string, because that process can neither run TypeScript nor read the command's files.

export type HarnessMessage =
  | { kind: "value"; value: unknown; problems: { path: (string | number)[]; description: string }[] }
  | { kind: "thrown"; message: string; stack: string }
  | { kind: "nothing" };

const source = `
import { writeSync } from "node:fs";
const send = (message) => {
  let rest = Buffer.from(JSON.stringify(message));
  while (rest.length > 0) {
    try { rest = rest.subarray(writeSync(3, rest)); }
    catch (error) { if (error.code !== "EAGAIN") throw error; }
  }
  process.exit(0);
};
const fail = (error) => {
  const isError = typeof error === "object" && error !== null && "message" in error;
  send({ kind: "thrown", message: isError ? String(error.name ?? "Error") + ": " + String(error.message) : String(error),
    stack: isError ? String(error.stack ?? "") : "" });
};
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);

const toPlain = (top) => {
  const problems = [];
  const walk = (value, path, parents) => {
    const problem = (description) => { problems.push({ path, description }); return null; };
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number") return Number.isFinite(value) ? value : problem(String(value));
    if (typeof value === "bigint") return problem("a big integer");
    if (typeof value !== "object") return problem(typeof value === "undefined" ? "undefined" : "a " + typeof value);
    if (parents.includes(value)) return problem("a cycle");
    const inside = [...parents, value];
    if (Array.isArray(value)) return Array.from(value, (entry, index) => walk(entry, [...path, index], inside));
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      return problem(value instanceof Date ? "a Date" : "an instance of " + (prototype.constructor?.name ?? "a class"));
    }
    for (const key of Object.getOwnPropertySymbols(value)) {
      if (key !== Symbol.toStringTag) problems.push({ path, description: "a member named by a symbol" });
    }
    const members = Object.keys(value).filter((key) => value[key] !== undefined);
    return Object.fromEntries(members.map((key) => [key, walk(value[key], [...path, key], inside)]));
  };
  const value = walk(top, [], []);
  return { kind: "value", value, problems };
};

globalThis[Symbol.for("platform.config")] = async (exported, argument) => {
  const value = await (typeof exported === "function" ? exported(argument) : exported);
  // Unhandled rejections are reported after the reactions of already settled promises have run.
  await new Promise((done) => setImmediate(done));
  send(value === undefined ? { kind: "nothing" } : toPlain(value));
};
`;

export const harnessUrl = `data:text/javascript,${encodeURIComponent(source)}`;

/** Returns the line of code that passes the export of the evaluated module to the harness. */
export function harnessCall(exported: string, argument: unknown): string {
  return `\nawait globalThis[Symbol.for("platform.config")](${exported}, ${JSON.stringify(argument)});\n`;
}
