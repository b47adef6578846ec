import type { OutgoingMail } from "../../../workers/email/delivery/providers/types";

/** A generated mail with the headers that a relay vendor reads. */
export type GeneratedMail = { mail: OutgoingMail; vendorHeaders: Record<string, string> };

const names = [
  "",
  "Example Mail",
  'Mi"na, <b@x.test>',
  "back\\slash",
  "=?utf-8?Q?x?=",
  "Zoé",
  "Здравствуйте, друзья и подруги 🎉",
  "x".repeat(70),
  "x".repeat(71),
  `${"long name ".repeat(12)}é`,
  "👩‍👩‍👧‍👦".repeat(9),
];
const addresses = [
  "news@sender.example.test",
  "Mina+tag@EXAMPLE.test",
  "mina@bücher.example",
  "zoé@example.test",
  "user@sub.例え.test",
  "not an address",
  "a@b\r\nBcc: c@d.test",
  "mina@127.0.0.1",
];
const pieces = [
  "word ",
  "Hello,\n",
  "line\r\n",
  "old mac\r",
  ".\n..dots\n",
  "From here\n",
  "trailing \t\n",
  "= equals =3D ",
  "é à ü ",
  "Здравствуйте ",
  "日本語 ",
  "🎉",
  "\u0000",
  "\t",
  "x".repeat(75),
  "y".repeat(998),
  "z".repeat(999),
  '<p style="color:#111">text</p>\n',
  `--alt-${"0".repeat(32)}--\r\n`,
];
const extraHeaders: Record<string, string>[] = [
  {},
  { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  { "List-Unsubscribe": "<https://mail.example.test/u/token>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  { "List-Id": "v".repeat(900) },
  { "List-Id": "v".repeat(901) },
  { Subject: "reserved" },
  { "X-Name": "é" },
];
const vendors: Record<string, string>[] = [{}, { "X-SES-MESSAGE-TAGS": "message_id=msg_1" }];

/** Returns `count` mails, the same ones in every run. Some of them are unsendable. */
export function generateMails(count: number): GeneratedMail[] {
  let state = 24;
  /** Returns an integer from 0 to `below` - 1 (mulberry32). */
  const random = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  // Most values are valid, so that most mails are sendable.
  const address = () => (random(12) === 0 ? pick(addresses) : pick(addresses.slice(0, 5)));
  const words = (max: number) => Array.from({ length: random(max) }, () => pick(pieces)).join("");
  const headerText = (max: number) => {
    const text = words(max);
    const separator = random(20) === 0 ? "\n" : " ";
    return Array.from(text, (character) => (character < " " ? separator : character)).join("");
  };
  return Array.from({ length: count }, () => {
    const toName = pick(names);
    const hasReply = random(3) === 0;
    const mail: OutgoingMail = {
      messageId: `msg_${Array.from({ length: 32 }, () => random(16).toString(16)).join("")}`,
      from: { name: pick(names), address: address() },
      to: address(),
      ...(random(2) === 0 ? { toName } : {}),
      ...(hasReply ? { replyTo: address() } : {}),
      subject: random(4) === 0 ? pick(names) : headerText(8),
      html: words(30),
      text: words(20),
      headers: random(6) === 0 ? pick(extraHeaders) : pick(extraHeaders.slice(0, 4)),
      acceptedAt: 1_790_000_000_000 + random(1_000_000_000),
      lane: "transactional",
      companyId: 1,
      requestId: "request",
    };
    return { mail, vendorHeaders: pick(vendors) };
  });
}
