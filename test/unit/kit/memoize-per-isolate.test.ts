import { expect, it } from "vitest";
import { memoizePerIsolate } from "../../../workers/kit/memoize-per-isolate";

it("makes a value once for the same texts, and forgets all before there are too many", () => {
  const made: string[] = [];
  const make = memoizePerIsolate(2, (...of: readonly [string, string]) => {
    made.push(of.join("+"));
    return { of };
  });
  expect(make("a", "b")).toBe(make("a", "b"));
  make("ab", "");
  expect(made).toEqual(["a+b", "ab+"]);
  make("c", "d");
  make("a", "b");
  expect(made).toEqual(["a+b", "ab+", "c+d", "a+b"]);
});

it("keeps nothing of what could not be made", () => {
  const make = memoizePerIsolate(2, (text: string) => new URL(text));
  expect(() => make("none")).toThrow();
  expect(() => make("none")).toThrow();
  expect(make("http://a/").host).toBe("a");
});
