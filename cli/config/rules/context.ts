import type { Messages } from "../../../schemas/shell/page.ts";
import type { KeyPath, Locate, Report } from "../findings.ts";
import type { Command } from "../load/env.ts";
import { isObject } from "../schema-walk.ts";

/** The shell's English texts and the colours of its default theme. Rules compare the configuration with them. */
export type ShellFacts = { texts: Messages; palettes: Record<"light" | "dark", Record<string, string>> };

/** The input of a rule: the configuration as written, which may contain invalid values, and the folders next to it. */
export type RuleContext = {
  rawConfig: unknown;
  report: Report;
  locate: Locate;
  command: Command;
  root: string;
  /** folder of the configuration file, to which file names in the configuration are relative */
  folder: string;
  staticFiles: ReadonlySet<string>;
  shell: ShellFacts | undefined;
};

export type RawObject = Record<string | number, unknown>;

/** Returns the object at a path, or an empty object if there is none. */
export function objectAt(value: unknown, ...path: KeyPath): RawObject {
  const member = memberAt(value, ...path);
  return isObject(member) && !Array.isArray(member) ? member : {};
}

export function textAt(value: unknown, ...path: KeyPath): string | undefined {
  const member = memberAt(value, ...path);
  return typeof member === "string" ? member : undefined;
}

export function listAt(value: unknown, ...path: KeyPath): unknown[] {
  const member = memberAt(value, ...path);
  return Array.isArray(member) ? member : [];
}

function memberAt(value: unknown, ...path: KeyPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

export type RawItem = { path: KeyPath; item: RawObject };

/** Returns the items of the navigation in the order of the file, including those in groups. */
export function listItems(rawConfig: unknown): RawItem[] {
  return itemsOf(listAt(rawConfig, "navigation"), ["navigation"]);
}

function itemsOf(entries: unknown[], path: KeyPath): RawItem[] {
  return entries.flatMap((entry, index) => {
    if (!isObject(entry) || Array.isArray(entry)) return [];
    const entryPath = [...path, index];
    return Array.isArray(entry.items)
      ? itemsOf(entry.items, [...entryPath, "items"])
      : [{ path: entryPath, item: entry }];
  });
}

/** Removes slashes at both ends of a path. */
export function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|(?:.+\.)?localhost)$/;

export function parseUrl(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

export function isLoopback({ hostname }: URL): boolean {
  return loopbackHost.test(hostname);
}

/** Returns whether a URL uses plain http to another machine. */
export function isOpenHttp(url: URL | undefined): boolean {
  return url?.protocol === "http:" && !isLoopback(url);
}

/** Returns whether a URL names a built-in view of the shell, which is rendered and never framed. */
export function isBuiltInView(url: string): boolean {
  const path = url.replace(/[?#].*$/, "").replace(/\/$/, "");
  return /^\/(?:__settings(?:\/.*)?|__welcome|__diagnostics|__cookie-preferences|login|legal(?:\/.*)?)$/.test(path);
}
