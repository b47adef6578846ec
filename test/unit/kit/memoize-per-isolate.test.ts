import { expect, it } from "vitest";
import { memoizePerIsolate } from "../../../workers/kit/memoize-per-isolate";

it("creates a value once for the same arguments, and clears all values when there are too many", () => {
  const created: string[] = [];
  const make = memoizePerIsolate(2, (...args: readonly [string, string]) => {
    created.push(args.join("+"));
    return { of: args };
  });
  expect(make("a", "b")).toBe(make("a", "b"));
  make("ab", "");
  expect(created).toEqual(["a+b", "ab+"]);
  make("c", "d");
  make("a", "b");
  expect(created).toEqual(["a+b", "ab+", "c+d", "a+b"]);
});

it("calls the function again after it threw an error", () => {
  const make = memoizePerIsolate(2, (text: string) => new URL(text));
  expect(() => make("none")).toThrow();
  expect(() => make("none")).toThrow();
  expect(make("http://a/").host).toBe("a");
});
