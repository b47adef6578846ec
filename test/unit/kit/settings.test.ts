import { describe, expect, test } from "vitest";
import {
  base64Key,
  baseUrl,
  choice,
  duration,
  flag,
  integer,
  list,
  listOrAll,
  longBase64Key,
  rate,
  size,
  text,
  url,
} from "../../../workers/kit/settings/setting-types";
import {
  listSettings,
  oncePerIsolate,
  oncePerIsolateAsync,
  readSettings,
  required,
  requiredUnlessDebug,
  SettingError,
  type SettingsTable,
  type SettingType,
  sameAs,
} from "../../../workers/kit/settings/settings";

/** Reads a value as a setting of this type. */
const read = <T>(type: SettingType<T>, raw: unknown, { name = "X", debug = false } = {}): T =>
  readSettings({ value: { name, type, default: required, meaning: "" } }, { [name]: raw, DEBUG: debug }).value;

test("names the setting and the allowed values in an error, and never quotes the value", () => {
  const call = () => read(integer(0, 300), "s3cret", { name: "GRACE" });
  expect(call).toThrow(new SettingError("GRACE", "an integer from 0 to 300"));
  expect(call).toThrow("invalid setting: GRACE, allowed: an integer from 0 to 300");
});

describe("a duration setting", () => {
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
    expect(read(duration(), raw)).toBe(ms);
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
  ])("rejects %j", (raw) => {
    expect(() => read(duration(), raw)).toThrow(SettingError);
  });

  test("enforces its inclusive bounds", () => {
    const bounds = { min: 60_000, max: 3_600_000 };
    expect(read(duration(bounds), "1m")).toBe(60_000);
    expect(read(duration(bounds), "1h")).toBe(3_600_000);
    expect(() => read(duration(bounds), "59s")).toThrow("a duration from 1m to 1h");
    expect(() => read(duration(bounds), "61m")).toThrow(SettingError);
  });
});

describe("a size setting", () => {
  test.each([
    ["500", 500],
    ["64K", 65_536],
    ["95m", 99_614_720],
    ["10GiB", 10_737_418_240],
    ["10gb", 10_737_418_240],
    ["1T", 1_099_511_627_776],
    ["0", 0],
  ])("reads %j as %d bytes", (raw, bytes) => {
    expect(read(size(), raw)).toBe(bytes);
  });

  test.each(["", undefined, "-1", "1.5G", "10 G", "10B", "10P", "G", "10iB", "9000T", "1e9", true])(
    "rejects %j",
    (raw) => {
      expect(() => read(size(), raw)).toThrow(SettingError);
    },
  );

  test("enforces its minimum", () => {
    expect(read(size(1), "1")).toBe(1);
    expect(() => read(size(1), "0")).toThrow("from 1");
  });
});

test('reads * and an empty list as "all"', () => {
  expect(read(listOrAll, "*")).toEqual([]);
  expect(read(listOrAll, "https://a.example, *")).toEqual([]);
  expect(read(listOrAll, "https://a.example,https://b.example")).toEqual(["https://a.example", "https://b.example"]);
});

describe("a rate setting", () => {
  test.each([
    ["10/min", { limit: 10, windowMs: 60_000 }],
    ["1/s", { limit: 1, windowMs: 1000 }],
    ["120/h", { limit: 120, windowMs: 3_600_000 }],
    ["5/10min", { limit: 5, windowMs: 600_000 }],
    ["1/90s", { limit: 1, windowMs: 90_000 }],
  ])("reads %j", (raw, expected) => {
    expect(read(rate, raw)).toEqual(expected);
  });

  test.each([
    "",
    undefined,
    "0/min",
    "-1/min",
    "1.5/min",
    "10/m",
    "10/d",
    "10",
    "10 /min",
    "01/min",
    "5/0min",
    "5/010min",
    "5/1.5min",
    "5/1000h",
    "OFF",
  ])("rejects %j", (raw) => {
    expect(() => read(rate, raw, { debug: true })).toThrow(SettingError);
  });

  test("can be off only in debug mode", () => {
    expect(read(rate, "off", { debug: true })).toBeNull();
    expect(() => read(rate, "off")).toThrow("allowed: a rate per s, min or h, such as 10/min or 5/10min");
  });
});

describe("other setting types", () => {
  test("reads boolean settings", () => {
    for (const raw of ["true", "TRUE", "1", "yes", "on", true]) expect(read(flag, raw)).toBe(true);
    for (const raw of ["false", "0", "no", "off", false]) expect(read(flag, raw)).toBe(false);
    for (const raw of ["", undefined, "t", "2"]) expect(() => read(flag, raw)).toThrow(SettingError);
  });

  test("reads integer settings", () => {
    const range = integer(-1, 300);
    expect([read(range, "0"), read(range, 300), read(range, "-1")]).toEqual([0, 300, -1]);
    for (const raw of ["", "301", "-2", "1.0", "1e2", "0x1", undefined]) {
      expect(() => read(range, raw)).toThrow(SettingError);
    }
  });

  test("reads lists, choices, defaults and required texts", () => {
    const listed = { values: { name: "L", type: list, default: "", meaning: "" } };
    const withDefault = { value: { name: "D", type: text, default: "5m", meaning: "" } };
    expect(readSettings(listed, { L: " a, b ,,c " }).values).toEqual(["a", "b", "c"]);
    expect(readSettings(listed, {}).values).toEqual([]);
    expect(read(choice("code", "fragment"), "code")).toBe("code");
    expect(() => read(choice("code", "fragment"), "Code")).toThrow("allowed: code, fragment");
    expect(readSettings(withDefault, { D: " " }).value).toBe("5m");
    expect(readSettings(withDefault, { D: "7m" }).value).toBe("7m");
    expect(read(text, " v ")).toBe("v");
    expect(() => read(text, " ")).toThrow("invalid setting: X");
  });

  test.each(["https://id.example.com", "https://example.com/identity", "https://[::1]:8443/a/b"])(
    "reads the base URL %s",
    (raw) => {
      expect(read(baseUrl, raw)).toBe(raw);
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
  ])("rejects base URL %j", (raw) => {
    expect(() => read(baseUrl, raw)).toThrow(SettingError);
  });

  test("allow http base URLs only in debug mode", () => {
    expect(read(baseUrl, "http://localhost:8787/identity", { debug: true })).toBe("http://localhost:8787/identity");
    expect(() => read(baseUrl, "http://localhost:8787/", { debug: true })).toThrow(SettingError);
  });

  test("reads URLs with any path and query, and http URLs only in debug mode", () => {
    for (const raw of ["https://example.com", "https://example.com/verify?a=1"]) expect(read(url, raw)).toBe(raw);
    for (const raw of ["http://example.com/", "ftp://example.com", "example.com", "https://", "/verify"]) {
      expect(() => read(url, raw, { name: "U" })).toThrow(new SettingError("U", "an https URL"));
    }
    expect(read(url, "http://localhost:1/verify", { debug: true })).toBe("http://localhost:1/verify");
    expect(() => read(url, "ftp://localhost", { debug: true })).toThrow(SettingError);
  });

  test("reads base64 keys of 32 bytes", () => {
    const base64 = (length: number) => Buffer.alloc(length, 7).toString("base64");
    expect(read(base64Key, base64(32))).toEqual(new Uint8Array(32).fill(7));
    expect(read(longBase64Key, base64(48))).toHaveLength(48);
    for (const raw of [base64(31), base64(33), "", undefined, "%%%"]) {
      expect(() => read(base64Key, raw, { name: "K" })).toThrow("invalid setting: K, allowed: base64 of 32 bytes");
    }
  });
});

describe("a settings table", () => {
  const table = {
    first: { name: "FIRST", type: text, default: required, meaning: "" },
    group: {
      name: { name: "SECOND", type: integer(1, 9), default: sameAs("FIRST"), meaning: "" },
      flag: { name: "THIRD", type: flag, default: requiredUnlessDebug("yes"), meaning: "" },
    },
    again: { name: "FIRST", type: text, default: required, meaning: "" },
    url: { name: "FOURTH", type: baseUrl, meaning: "" },
  } as const satisfies SettingsTable;

  test("is read into an object of its shape, with defaults that depend on other variables and on DEBUG", () => {
    expect(readSettings(table, { FIRST: "7", DEBUG: "true" })).toEqual({
      first: "7",
      group: { name: 7, flag: true },
      again: "7",
      url: null,
    });
    const read = () => readSettings(table, { FIRST: "7", FOURTH: "https://example.com" });
    expect(read).toThrow("invalid setting: THIRD, allowed: a value (required)");
    expect(readSettings(table, { FIRST: "7", SECOND: "2", THIRD: "off", FOURTH: "https://example.com" })).toMatchObject(
      {
        group: { name: 2, flag: false },
        url: "https://example.com",
      },
    );
  });

  test("reports the first bad variable, including a bad default", () => {
    expect(() => readSettings(table, { THIRD: "maybe" })).toThrow("invalid setting: FIRST,");
    expect(() => readSettings(table, { FIRST: "ten", DEBUG: true })).toThrow(
      "invalid setting: SECOND, allowed: an integer from 1 to 9",
    );
    expect(() => readSettings(table, { FIRST: "7", DEBUG: "maybe" })).toThrow("invalid setting: DEBUG,");
  });

  test("lists each variable once", () => {
    expect(listSettings(table).map(({ name }) => name)).toEqual(["FIRST", "SECOND", "THIRD", "FOURTH"]);
  });
});

describe("oncePerIsolate", () => {
  test("creates a value once for each env, and does not cache an error", async () => {
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
