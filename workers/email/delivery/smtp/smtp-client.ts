import { textToBase64 } from "../../../kit/crypto/encoding";
import { encodedLines } from "../mime/encoded-file";
import type { MimeContent } from "../mime/mime";
import { openSmtpChannel, type SmtpChannel, SmtpFault, type SmtpReply } from "./smtp-channel";

const TRANSPORTS = { none: "off", starttls: "starttls", implicit: "on" } as const;

/** The server to connect to. The certificate must be valid for `host`. */
export type SmtpTarget = {
  host: string;
  port: number;
  security: keyof typeof TRANSPORTS;
  credentials: { username: string; password: string } | null;
  helloName: string;
};

/** The domains of the addresses are ASCII. `isInternational`: an address has a non-ASCII local part, which needs SMTPUTF8. */
export type SmtpEnvelope = { from: string; to: string; isInternational: boolean };

/** A connection after the greeting, TLS and authentication. */
export type SmtpConnection = {
  /**
   * Sends one mail. Returns the final reply of the server, or null when `beforeData` returned false and nothing was sent.
   * Throws `SmtpFault`; its kind is `unanswered` when content was sent and no final reply arrived. Also throws the error of an
   * attachment that cannot be read. The server discards a mail without its end, so the connection must be closed then.
   */
  transact(envelope: SmtpEnvelope, content: MimeContent, beforeData: () => Promise<boolean>): Promise<SmtpReply | null>;
  /** Aborts the current transaction, so that the connection can send the next mail. Throws `SmtpFault`. */
  reset(): Promise<void>;
  /** Sends QUIT and closes the connection. Never throws a `SmtpFault`. */
  quit(): Promise<void>;
  /** Closes without QUIT. */
  close(): Promise<void>;
};

const CHUNK_BYTES = 64 * 1024;

/**
 * Connects, starts TLS and authenticates (RFC 5321, 3207, 4954). Never sends credentials without TLS and never falls back
 * from TLS to plain text. `limitMs` returns the time limit of the next step in ms. Throws `SmtpFault`.
 */
export async function openSmtpConnection(target: SmtpTarget, limitMs: () => number): Promise<SmtpConnection> {
  if (target.credentials && target.security === "none") {
    throw new SmtpFault("auth_missing", "credentials require TLS: enable use_tls or use_ssl");
  }
  const channel = await openSmtpChannel(target.host, target.port, TRANSPORTS[target.security], limitMs);
  try {
    expectReply(await channel.readReply(), 2);
    let extensions = await greet(channel, target.helloName);
    if (target.security === "starttls") {
      if (!extensions.has("STARTTLS")) throw new SmtpFault("tls_missing", "the server does not offer STARTTLS");
      expectReply(await channel.command("STARTTLS"), 2);
      await channel.startTls();
      extensions = await greet(channel, target.helloName);
    }
    if (target.credentials) await authenticate(channel, extensions, target.credentials);
    return createConnection(channel, extensions);
  } catch (error) {
    await channel.close();
    throw error;
  }
}

function createConnection(channel: SmtpChannel, extensions: Map<string, string>): SmtpConnection {
  return {
    async transact(envelope, content, beforeData) {
      const parameters = chooseParameters(envelope, extensions);
      expectReply(await channel.command(`MAIL FROM:<${envelope.from}>${parameters}`), 2);
      expectReply(await channel.command(`RCPT TO:<${envelope.to}>`), 2);
      if (!(await beforeData())) return null;
      expectReply(await channel.command("DATA"), 3);
      return sendContent(channel, content);
    },
    async reset() {
      expectReply(await channel.command("RSET"), 2);
    },
    async quit() {
      try {
        await channel.command("QUIT");
      } catch (error) {
        // A failed QUIT is ignored, because the outcomes of all mails are known.
        if (!(error instanceof SmtpFault)) throw error;
      }
      await channel.close();
    },
    close: channel.close,
  };
}

/** Sends the content. Any SMTP failure except a 4xx or 5xx reply leaves the outcome unknown and is thrown as `unanswered`. */
async function sendContent(channel: SmtpChannel, content: MimeContent): Promise<SmtpReply> {
  try {
    for (const part of content) {
      if (typeof part === "string") await writeText(channel, toDataContent(part));
      // Lines of base64 never begin with a dot.
      else for await (const lines of encodedLines(await part.open())) await writeText(channel, lines);
    }
    const reply = await channel.command(".");
    expectReply(reply, 2);
    return reply;
  } catch (error) {
    if (error instanceof SmtpFault && error.kind !== "refused") throw new SmtpFault("unanswered", error.message);
    throw error;
  }
}

async function writeText(channel: SmtpChannel, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) await channel.write(bytes.subarray(at, at + CHUNK_BYTES));
}

/** Encodes content for DATA: CRLF line ends, a second dot before a leading dot, and a final line end (RFC 5321, 4.5.2). */
export function toDataContent(content: string): string {
  const lines = content.replace(/\r\n|\r|\n/g, "\r\n").replace(/(^|\n)\./g, "$1..");
  return lines.endsWith("\r\n") ? lines : `${lines}\r\n`;
}

/** Sends EHLO. Returns the extensions of the server: upper-case keywords with their parameters. */
async function greet(channel: SmtpChannel, helloName: string): Promise<Map<string, string>> {
  const reply = expectReply(await channel.command(`EHLO ${helloName}`), 2);
  return new Map(
    reply.lines.slice(1).map((line) => {
      const [keyword = "", ...parameters] = line.trim().split(/[ =]+/);
      return [keyword.toUpperCase(), parameters.join(" ").toUpperCase()];
    }),
  );
}

async function authenticate(
  channel: SmtpChannel,
  extensions: Map<string, string>,
  credentials: { username: string; password: string },
): Promise<void> {
  const mechanisms = (extensions.get("AUTH") ?? "").split(" ");
  if (mechanisms.includes("PLAIN")) {
    const response = textToBase64(`\u0000${credentials.username}\u0000${credentials.password}`);
    expectReply(await channel.command(`AUTH PLAIN ${response}`), 2);
    return;
  }
  if (mechanisms.includes("LOGIN")) {
    expectReply(await channel.command("AUTH LOGIN"), 3);
    expectReply(await channel.command(textToBase64(credentials.username)), 3);
    expectReply(await channel.command(textToBase64(credentials.password)), 2);
    return;
  }
  throw new SmtpFault("auth_missing", "the server offers neither AUTH PLAIN nor AUTH LOGIN");
}

function chooseParameters(envelope: SmtpEnvelope, extensions: Map<string, string>): string {
  if (!envelope.isInternational) return "";
  if (!extensions.has("SMTPUTF8")) throw new SmtpFault("unsupported", "the server does not offer SMTPUTF8");
  // RFC 6531, 3.1: a server that offers SMTPUTF8 offers 8BITMIME.
  return " BODY=8BITMIME SMTPUTF8";
}

/** Returns the reply when its first digit is `kind`. Throws `refused` for 4xx and 5xx, and `protocol` for any other reply. */
function expectReply(reply: SmtpReply, kind: 2 | 3): SmtpReply {
  const first = Math.floor(reply.code / 100);
  if (first === kind) return reply;
  const text = `${reply.code} ${reply.lines.join(" ")}`;
  if (first === 4 || first === 5) throw new SmtpFault("refused", text, reply.code);
  throw new SmtpFault("protocol", text);
}
