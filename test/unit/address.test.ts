import { describe, expect, it } from "vitest";
import { addressSchema, canonicalAddress, isAddress, maskAddress, personalAddress } from "../../schemas/text/address";

describe("email address", () => {
  it.each(["n@example.com", "é.t@example.com", "a+b@x1.example2.co", "n@10.example"])("accepts %s", (address) => {
    expect(isAddress(address)).toBe(true);
  });

  // URL parsers and some mail servers parse these host names as IP addresses.
  it.each(["n@10.1", "n@1.2.3.4", "n@example.7", "n@example.0x7f", "n@example.0X"])("rejects %s", (address) => {
    expect(isAddress(address)).toBe(false);
  });

  it("rejects the character that stands for bytes that are not UTF-8", () => {
    const address = new URLSearchParams("email=%ff%40example.com").get("email") ?? "";
    expect(address).toBe("\ufffd@example.com");
    expect(isAddress(address)).toBe(false);
    expect(isAddress("a\ufffdb@example.com")).toBe(false);
    expect(
      addressSchema()
        .safeParse(address)
        .error?.issues.map(({ message }) => message),
    ).toEqual(["invalid_format"]);
  });

  it("has one canonical form regardless of Unicode form and case", () => {
    const composed = "zo\u00e9@example.com";
    const decomposed = " ZOE\u0301@Example.COM ";
    expect(canonicalAddress(decomposed)).toBe(composed);
    expect(addressSchema().parse(decomposed)).toBe(composed);
    expect(maskAddress("\u0045\u0301a@example.com")).toBe("\u00e9***@example.com");
  });

  it.each([
    ["Mina+News@Example.com", "mina@example.com"],
    ["a+1+2@x.co", "a@x.co"],
    ["+tag@x.co", "+tag@x.co"],
    ["a@b+c.example", "a@b+c.example"],
    ["plain@x.co", "plain@x.co"],
  ])("treats %s as the same user as %s", (address, person) => {
    expect(personalAddress(address)).toBe(person);
  });
});
