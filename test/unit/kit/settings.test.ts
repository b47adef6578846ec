import { describe, expect, test } from "vitest";
import {
  oncePerIsolate,
  oncePerIsolateAsync,
  parseBase64Key,
  parseBoolean,
  parseChoice,
  parseDuration,
  parseInteger,
  parseList,
  parseRate,
  parseUrlBase,
  required,
  SettingError,
  withDefault,
} from "../../../workers/kit/settings";

test("an error names the setting and what is allowed, and never quotes the value", () => {
  const call = () => parseInteger("GRACE", "s3cret", { min: 0, max: 300 });
  expect(call).toThrow(new SettingError("GRACE", "an integer from 0 to 300"));
  expect(call).toThrow("invalid setting: GRACE, allowed: an integer from 0 to 300");
});

describe("parseDuration", () => {
  test.each([
    ["30", 30_000],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1.5h", 5_400_000],
    ["0.25s", 250],
    [".5s", 500],
    ["7d", 604_800_000],
    [" 5m ", 300_000],
    [120, 120_000],
  ])("reads %j as %d ms", (raw, ms) => {
    expect(parseDuration("D", raw)).toBe(ms);
  });

  test.each([
    "",
    undefined,
    "0",
    "0s",
    "-5",
    "5 m",
    "5M",
    "5min",
    "1e3",
    "5.",
    "1,5h",
    "Infinity",
    "0.0001s",
    true,
    {},
  ])("refuses %j", (raw) => {
    expect(() => parseDuration("D", raw)).toThrow(SettingError);
  });

  test("keeps its bounds, both included", () => {
    const bounds = { min: 60_000, max: 3_600_000 };
    expect(parseDuration("D", "1m", bounds)).toBe(60_000);
    expect(parseDuration("D", "1h", bounds)).toBe(3_600_000);
    expect(() => parseDuration("D", "59s", bounds)).toThrow("from 60s to 3600s");
    expect(() => parseDuration("D", "61m", bounds)).toThrow(SettingError);
  });
});

describe("parseRate", () => {
  test.each([
    ["10/min", { limit: 10, windowMs: 60_000 }],
    ["1/s", { limit: 1, windowMs: 1000 }],
    ["120/h", { limit: 120, windowMs: 3_600_000 }],
  ])("reads %j", (raw, rate) => {
    expect(parseRate("R", raw, { debug: false })).toEqual(rate);
  });

  test.each(["", undefined, "0/min", "-1/min", "1.5/min", "10/m", "10/d", "10", "10 /min", "01/min", "OFF"])(
    "refuses %j",
    (raw) => {
      expect(() => parseRate("R", raw, { debug: true })).toThrow(SettingError);
    },
  );

  test("is off in debug only", () => {
    expect(parseRate("R", "off", { debug: true })).toBeNull();
    expect(() => parseRate("R", "off", { debug: false })).toThrow("allowed: <n>/<s|min|h> with n >= 1");
  });
});

describe("other values", () => {
  test("booleans", () => {
    for (const raw of ["true", "TRUE", "1", "yes", "on", true]) expect(parseBoolean("B", raw)).toBe(true);
    for (const raw of ["false", "0", "no", "off", false]) expect(parseBoolean("B", raw)).toBe(false);
    for (const raw of ["", undefined, "t", "2"]) expect(() => parseBoolean("B", raw)).toThrow(SettingError);
  });

  test("integers", () => {
    const range = { min: -1, max: 300 };
    expect([parseInteger("I", "0", range), parseInteger("I", 300, range), parseInteger("I", "-1", range)]).toEqual([
      0, 300, -1,
    ]);
    for (const raw of ["", "301", "-2", "1.0", "1e2", "0x1", undefined]) {
      expect(() => parseInteger("I", raw, range)).toThrow(SettingError);
    }
  });

  test("lists, choices, defaults and required texts", () => {
    expect(parseList(" a, b ,,c ")).toEqual(["a", "b", "c"]);
    expect(parseList(undefined)).toEqual([]);
    expect(parseChoice("C", "code", ["code", "fragment"])).toBe("code");
    expect(() => parseChoice("C", "Code", ["code", "fragment"])).toThrow("allowed: code, fragment");
    expect(withDefault(" ", "5m")).toBe("5m");
    expect(withDefault("7m", "5m")).toBe("7m");
    expect(required("X", " v ")).toBe("v");
    expect(() => required("X", " ")).toThrow("invalid setting: X");
  });

  test.each(["https://id.example.com", "https://example.com/identity", "https://[::1]:8443/a/b"])(
    "base URL %s",
    (raw) => {
      expect(parseUrlBase("U", raw, { debug: false })).toBe(raw);
    },
  );

  test.each([
    "http://example.com",
    "https://example.com/",
    "https://example.com?a",
    "https://example.com/a#",
    "https://user:pw@example.com",
    "https://exa mple.com",
    "https:/example.com",
    "ftp://example.com",
    "example.com",
    "https://",
    "",
  ])("refuses base URL %j", (raw) => {
    expect(() => parseUrlBase("U", raw, { debug: false })).toThrow(SettingError);
  });

  test("allows http base URLs in debug only", () => {
    expect(parseUrlBase("U", "http://localhost:8787/identity", { debug: true })).toBe("http://localhost:8787/identity");
    expect(() => parseUrlBase("U", "http://localhost:8787/", { debug: true })).toThrow(SettingError);
  });

  test("base64 keys of 32 bytes", () => {
    const base64 = (length: number) => Buffer.alloc(length, 7).toString("base64");
    expect(parseBase64Key("K", base64(32))).toEqual(new Uint8Array(32).fill(7));
    expect(parseBase64Key("K", base64(48), { orMore: true })).toHaveLength(48);
    for (const raw of [base64(31), base64(33), "", undefined, "%%%"]) {
      expect(() => parseBase64Key("K", raw)).toThrow("invalid setting: K, allowed: base64 of 32 bytes");
    }
  });
});

describe("once per isolate", () => {
  test("builds once for each env and does not keep an error", async () => {
    let builds = 0;
    const build = (env: { bad?: boolean }) => {
      builds += 1;
      if (env.bad) throw new SettingError("X", "good");
      return { builds };
    };
    const get = oncePerIsolate(build);
    const [one, two] = [{}, {}];
    expect(get(one)).toBe(get(one));
    expect(get(two)).not.toBe(get(one));
    expect(builds).toBe(2);
    const bad: { bad?: boolean } = { bad: true };
    expect(() => get(bad)).toThrow(SettingError);
    bad.bad = false;
    expect(get(bad)).toEqual({ builds: 4 });

    const getLater = oncePerIsolateAsync(async (env: { bad?: boolean }) => build(env));
    expect(await getLater(one)).toBe(await getLater(one));
    await expect(getLater({ bad: true })).rejects.toThrow(SettingError);
  });
});
