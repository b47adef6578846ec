import { describe, expect, it } from "vitest";
import { isName, namePattern, nameSchema, plainName } from "../../schemas/text/name";

const good = [
  [
    "Aster Labs",
    "St. John",
    "A.B. Corp",
    "J.R.R. Tolkien",
    "L.L.Bean",
    "E.Leclerc",
    "S.p.A.",
    "d.o.o.",
    "Dr. No",
    "v2.0",
  ],
  [
    "O’Brien",
    "O'Brien",
    "Anne-Marie",
    "AT&T",
    "AC/DC",
    "M@gic",
    "Yahoo!",
    "24/7 Care",
    "No.1 Café",
    "Smith, Jones & Co.",
  ],
  [
    "李 小龙",
    "علی رضا",
    "Åsa",
    "வை.கோபால்",
    "❤️ Bakery",
    "José María",
    "Aster (Paris)",
    "株式会社アスター",
    "Re: Design",
    "",
  ],
].flat();

const links = [
  [
    "https://evil.example",
    "Log in at http://x",
    "evil://x",
    "www.evil",
    "WWW.1und1.x",
    "Booking.com",
    "t.co/x",
    "T.co/x",
    "x.io",
  ],
  [
    "ada@evil.example",
    "ada@E.ON",
    "evil。com",
    "evil．com",
    "bücher.example",
    "evil.xn--p1ai",
    "Aster evil.example:8080/x",
  ],
].flat();

const hidden = ["As\u200bter", "As\u00adter", "\u202eretsA", "Aster\u2066", "A\u200dB", "\ufeffAster", "A\u{e0041}"];
const traceless = ["\u200b", "\u3164", "\u115f\u1160", "\u2800 \u2800", "\ufe0f", "\u034f", "\u{e0100}"];

const codesOf = (text: string, blank: boolean) =>
  nameSchema(255, { blank })
    .safeParse(text)
    .error?.issues.map(({ message }) => message) ?? [];

describe("a name", () => {
  it.each(good)("may be %j", (text) => {
    expect([isName(text), plainName(text)]).toEqual([true, text]);
    expect(codesOf(text, true)).toEqual([]);
  });

  it.each([...links, ...hidden, ...traceless])("may not be %j, and is shown as one that may", (text) => {
    const bare = text === "\ufeffAster" ? "A\ufeffster" : text;
    expect(isName(bare)).toBe(false);
    expect([codesOf(bare, true), codesOf(bare, false)]).toEqual([["invalid"], ["invalid"]]);
    expect(isName(plainName(bare))).toBe(true);
  });

  it("is blank when it is empty, invalid once when it is no line, and too long by characters", () => {
    expect([codesOf(" ", false), codesOf(" ", true)]).toEqual([["blank"], []]);
    expect(codesOf("a\nb", false)).toEqual(["invalid"]);
    expect(codesOf("x".repeat(256), false)).toEqual(["too_long"]);
  });
});

it("may be whatever the document says", () => {
  const documented = new RegExp(namePattern);
  const all = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code)).filter((text) =>
    documented.test(text),
  );
  expect(all.length).toBeGreaterThan(30_000);
  expect(all.filter((letter) => !isName(letter) || !isName(`${letter}${letter}. ${letter}${letter}.`))).toEqual([]);
  for (const name of ["www. Aster", "St. John & Sons (Paris), Inc.", "李 小龙", "Anne-Marie O’Brien", "Zoë"]) {
    expect([documented.test(name), isName(name)], name).toEqual([true, true]);
  }
  for (const name of [...links, ...hidden, ...traceless]) expect(documented.test(name), name).toBe(false);
});

it.each([
  ["Log in at https://evil.example/x?y=1#z", "Log in at https evil example x y 1 z"],
  ["Booking.com", "Booking com"],
  ["ada@evil.example", "ada evil example"],
  ["\u202eAs\u200bter\u202c", "Aster"],
  ["\u200b \u2066", ""],
  ["\u3164", ""],
  ["A\r\nBcc: x@y.co", "A\r\nBcc x y co"],
])("%j is shown as %j", (text, shown) => {
  expect(plainName(text)).toBe(shown);
});
