import { describe, expect, it } from "vitest";
import { UnsendableMailError } from "../../../workers/email/delivery/mime/mail-address";
import { buildMime as composeMime } from "../../../workers/email/delivery/mime/mime";
import { filterDetail } from "../../../workers/email/delivery/providers/detail";
import { vendorHeaders } from "../../../workers/email/delivery/smtp/smtp-vendors";
import { createMail } from "../../support/email/provider-fixtures";

const date = new Date("2026-11-21T12:00:00Z");

/** Returns a mail without attachments as text. */
const buildMime = (...parameters: Parameters<typeof composeMime>) => composeMime(...parameters).join("");

/** Returns the unfolded headers of the mail, by name. */
function readHeaders(mime: string): Map<string, string> {
  const head = mime.slice(0, mime.indexOf("\r\n\r\n")).replace(/\r\n[ \t]/g, " ");
  return new Map(
    head.split("\r\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
}

function decodeEncodedWords(value: string): string {
  return value
    .replace(/\?= =\?/g, "?==?")
    .replace(/=\?utf-8\?B\?([^?]*)\?=/g, (_, base64: string) => decodeBase64(base64));
}

function decodeBase64(base64: string): string {
  return new TextDecoder().decode(
    Uint8Array.from(atob(base64.replace(/\s/g, "")), (character) => character.charCodeAt(0)),
  );
}

function decodeQuoted(quoted: string): string {
  const bytes = quoted
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}

/** Returns the type, encoding and decoded text of each part. */
function readParts(mime: string): { type: string; encoding: string; text: string }[] {
  const boundary = /boundary=(\S+)/.exec(mime)?.[1] ?? "";
  return mime
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf("\r\n\r\n");
      const [head, body] = [part.slice(0, end), part.slice(end + 4, -2)];
      const encoding = /Content-Transfer-Encoding: (\S+)/.exec(head)?.[1] ?? "";
      const decode = { base64: decodeBase64, "quoted-printable": decodeQuoted, "7bit": (text: string) => text }[
        encoding
      ];
      return { type: /Content-Type: ([^\r;]+)/.exec(head)?.[1] ?? "", encoding, text: decode?.(body) ?? "" };
    });
}

describe("buildMime", () => {
  it("writes the documented headers", () => {
    const mail = createMail({ replyTo: "answers@example.test", headers: { "List-Id": "<news.example.test>" } });
    const headers = readHeaders(buildMime(mail, date));
    expect(Object.fromEntries(headers)).toMatchObject({
      Date: "Sat, 21 Nov 2026 12:00:00 +0000",
      "Message-ID": `<${mail.messageId.slice(4)}@sender.example.test>`,
      From: '"Example Mail" <news@sender.example.test>',
      To: `<${mail.to}>`,
      "Reply-To": "<answers@example.test>",
      Subject: "A subject",
      "MIME-Version": "1.0",
      "List-Id": "<news.example.test>",
    });
    expect(headers.get("Content-Type")).toMatch(/^multipart\/alternative; boundary=/);
    expect([...headers.keys()].filter((name) => name.startsWith("X-"))).toEqual([]);
  });

  it.each([
    ["Mina Okafor", '"Mina Okafor"'],
    ['Mi"na, <b@x.test>', '"Mi\\"na, <b@x.test>"'],
    ["=?utf-8?Q?x?=", "=?utf-8?Q?x?="],
    ["Zoé", "Zoé"],
  ])("writes the recipient's name %j", (toName, written) => {
    const mail = createMail({ toName });
    expect(decodeEncodedWords(readHeaders(buildMime(mail, date)).get("To") ?? "")).toBe(`${written} <${mail.to}>`);
  });

  it.each([
    ["7bit for ASCII", "Hello\n.\n..dots = 1", "7bit"],
    ["7bit for a line of 998 characters", "x".repeat(998), "7bit"],
    ["quoted-printable for a longer line", `${"x".repeat(998)}=`, "quoted-printable"],
    ["quoted-printable for a line that starts with From", "From here", "quoted-printable"],
    ["quoted-printable for trailing blanks", "a \nb\t\n", "quoted-printable"],
    [
      "quoted-printable when few characters need an escape",
      `${"word ".repeat(200)}é ${"=".repeat(80)}`,
      "quoted-printable",
    ],
    ["base64 when many characters need an escape", "Здравствуйте 🎉", "base64"],
  ])("uses %s", (_title, text, encoding) => {
    const mime = buildMime(createMail({ text, html: text }), date);
    const parts = readParts(mime);
    expect(parts.map((part) => part.encoding)).toEqual([encoding, encoding]);
    expect(parts.map((part) => part.text)).toEqual(Array(2).fill(text.replace(/\n/g, "\r\n")));
    const bodyLines = mime.slice(mime.indexOf("--alt")).split("\r\n");
    const longest = Math.max(...bodyLines.map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(encoding === "7bit" ? 998 : 76);
  });

  it("encodes a text that contains the boundary in base64", () => {
    const mail = createMail();
    const text = `a\r\n--alt-${mail.messageId.slice(4)}--\r\nb`;
    expect(readParts(buildMime({ ...mail, text }, date))[0]).toEqual({ type: "text/plain", encoding: "base64", text });
  });

  it("adds the message id as a vendor-specific header only for relays of known vendors", () => {
    const id = `msg_${"0".repeat(32)}`;
    const ses = { "X-SES-MESSAGE-TAGS": `message_id=${id}` };
    const postmark = { "X-PM-Metadata-message_id": id };
    expect(vendorHeaders({ host: "relay.example.com" }, id)).toEqual({});
    expect(vendorHeaders({ host: "email-smtp.eu-west-1.amazonaws.com" }, id)).toEqual(ses);
    expect(vendorHeaders({ host: "smtp.postmarkapp.com" }, id)).toEqual(postmark);
    expect(vendorHeaders({ host: "smtp.postmarkapp.com.example.com" }, id)).toEqual({});
    expect(vendorHeaders({ host: "relay.example.com", vendor: "postmark" }, id)).toEqual(postmark);
    expect(vendorHeaders({ host: "smtp.postmarkapp.com", vendor: "none" }, id)).toEqual({});
    expect(buildMime(createMail(), date, ses)).toContain(`\r\nX-SES-MESSAGE-TAGS: message_id=${id}\r\n`);
  });

  it("puts the text part before the HTML part, both complete", () => {
    const text = "🎉🎉🎉🎉🎉\n.\n..dots\r\n--alt\nFrom here";
    const html = `<p>${"ü🎉".repeat(20_000)}</p>`;
    expect(readParts(buildMime(createMail({ text, html }), date))).toEqual([
      { type: "text/plain", encoding: "base64", text: text.replace(/\r?\n/g, "\r\n") },
      { type: "text/html", encoding: "base64", text: html },
    ]);
  });

  it("writes ASCII in short CRLF lines, with encoded words of at most 75 characters", () => {
    const subject = "Ünï🎉 ".repeat(50).trim();
    const mime = buildMime(createMail({ subject, from: { name: "é".repeat(120), address: "a@exämple.test" } }), date);
    expect(mime).toMatch(/^[\r\n -~]*$/);
    expect(mime.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(Math.max(...mime.split("\r\n").map((line) => line.length))).toBeLessThan(100);
    for (const [word] of mime.matchAll(/=\?utf-8\?B\?[^?]*\?=/g)) expect(word.length).toBeLessThanOrEqual(75);
    const headers = readHeaders(mime);
    expect(decodeEncodedWords(headers.get("Subject") ?? "")).toBe(subject);
    expect(decodeEncodedWords(headers.get("From") ?? "")).toBe(`${"é".repeat(120)} <a@xn--exmple-cua.test>`);
  });

  it("keeps lines with encoded words within 76 characters, including the header name", () => {
    for (let length = 20; length < 90; length++) {
      const name = "é".repeat(length);
      const mime = buildMime(
        createMail({ subject: `${name} ${"x".repeat(length)}`, from: { name, address: "a@b.test" } }),
        date,
      );
      const encoded = mime.split("\r\n").filter((line) => line.includes("=?utf-8?B?"));
      expect(Math.max(...encoded.map((line) => line.length))).toBeLessThanOrEqual(76);
      expect(decodeEncodedWords(readHeaders(mime).get("Subject") ?? "")).toBe(`${name} ${"x".repeat(length)}`);
    }
  });

  it("differs between attempts only in the date", () => {
    const mail = createMail();
    const later = buildMime(mail, new Date("2026-11-21T13:00:00Z"));
    expect(later.replace("13:00:00", "12:00:00")).toBe(buildMime(mail, date));
  });

  it("encodes a subject that looks encoded, and escapes the quotes in a name", () => {
    const name = 'A "b" \\ c';
    const headers = readHeaders(
      buildMime(createMail({ subject: "=?utf-8?Q?x?=", from: { name, address: "a@b.test" } }), date),
    );
    expect(decodeEncodedWords(headers.get("Subject") ?? "")).toBe("=?utf-8?Q?x?=");
    expect(headers.get("From")).toBe('"A \\"b\\" \\\\ c" <a@b.test>');
  });

  it.each([
    ["an invalid message id", { messageId: "msg_1>\r\nX: y" }],
    ["a line break in the subject", { subject: "a\nb" }],
    ["a line break in the name of the recipient", { toName: "a\r\nBcc: b@example.test" }],
    ["a line separator in the subject", { subject: "a\u2028b" }],
    ["two addresses", { to: "a@example.test, b@example.test" }],
    ["an address with a name", { to: "A <a@example.test>" }],
    ["a domain with a path", { to: "a@example.test/x" }],
    ["a domain with a port", { to: "a@example.test:25" }],
    ["a domain that is a number", { to: "n@10.1" }],
    ["an address without a domain", { to: "a@" }],
    ["a header that the service sets itself", { headers: { "content-type": "text/plain" } }],
    ["a header that is too long", { headers: { "X-Long": "x".repeat(901) } }],
  ])("throws for %s", (_title, changes) => {
    expect(() => buildMime(createMail(changes), date)).toThrow(UnsendableMailError);
  });
});

describe("filterDetail", () => {
  it.each([
    ["550 no <who@example.test> here", "550 no <[Filtered]> here"],
    ["see https://a.example.test/x?y=1 now", "see [Filtered] now"],
    ["Bearer abcdef123456 refused", "[Filtered] refused"],
    ["token=abcdef123456", "[Filtered]"],
    ["id 0123456789abcdef0123456789abcdef", "id [Filtered]"],
    ["the s3cret word", "the [Filtered] word"],
    ["line\r\none\u0000two", "line one two"],
  ])("filters %j", (detail, filtered) => {
    expect(filterDetail(detail, ["s3cret", ""])).toBe(filtered);
  });

  it("keeps at most 200 characters", () => {
    expect(filterDetail("word ".repeat(1000), [])).toHaveLength(200);
  });
});
