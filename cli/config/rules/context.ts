import type { Messages } from "../../../schemas/shell/page.ts";
import type { KeyPath, Locate, Report } from "../findings.ts";
import type { Command } from "../load/env.ts";
import { isObject } from "../schema-walk.ts";

/** What the shell itself brings, that rules compare with: its English texts, and the colours of its own theme. */
export type ShellFacts = { texts: Messages; palettes: Record<"light" | "dark", Record<string, string>> };

/** What a rule sees: the configuration as written, which may be wrong in places, and the folders around it. */
export type RuleContext = {
  written: unknown;
  report: Report;
  locate: Locate;
  command: Command;
  root: string;
  /** folder of the configuration file: names of files in it are meant from there */
  folder: string;
  staticFiles: ReadonlySet<string>;
  shell: ShellFacts | undefined;
};

export type Written = Record<string | number, unknown>;

/** The member of what was written, when it is an object; else an empty one. */
export function objectAt(value: unknown, ...path: KeyPath): Written {
  const found = at(value, ...path);
  return isObject(found) && !Array.isArray(found) ? found : {};
}

export function textAt(value: unknown, ...path: KeyPath): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" ? found : undefined;
}

export function listAt(value: unknown, ...path: KeyPath): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

function at(value: unknown, ...path: KeyPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

export type WrittenItem = { path: KeyPath; item: Written };

/** The items of the navigation, those in groups included, in the order of the file. */
export function listItems(written: unknown): WrittenItem[] {
  return itemsOf(listAt(written, "navigation"), ["navigation"]);
}

function itemsOf(entries: unknown[], path: KeyPath): WrittenItem[] {
  return entries.flatMap((entry, index) => {
    if (!isObject(entry) || Array.isArray(entry)) return [];
    const own = [...path, index];
    return Array.isArray(entry.items) ? itemsOf(entry.items, [...own, "items"]) : [{ path: own, item: entry }];
  });
}

/** A path of the shell without slashes at its ends. */
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

/** Whether a plain http address leads to another machine. */
export function isOpenHttp(url: URL | undefined): boolean {
  return url?.protocol === "http:" && !isLoopback(url);
}

/** Whether an address names a view of the shell, which is drawn by it and never framed. */
export function isBuiltInView(url: string): boolean {
  const path = url.replace(/[?#].*$/, "").replace(/\/$/, "");
  return /^\/(?:__settings(?:\/.*)?|__welcome|__diagnostics|__cookie-preferences|login|legal(?:\/.*)?)$/.test(path);
}
