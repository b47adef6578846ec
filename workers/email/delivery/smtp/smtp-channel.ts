import { connect } from "cloudflare:sockets";
import { withTimeout } from "../../../kit/timeout";

/** Maximum length of a line. RFC 5321, 4.5.3 requires clients to support 512 characters. */
const MAX_LINE_LENGTH = 4096;
const MAX_REPLY_LINES = 128;

/** A reply of the server. `code` is 200 to 599; `lines` are the texts after the code. */
export type SmtpReply = { code: number; lines: string[] };

/** Why an SMTP session failed. */
export type SmtpFaultKind =
  // The server did not reply in time.
  | "timeout"
  // The connection or TLS failed.
  | "disconnected"
  // The reply is malformed.
  | "protocol"
  // The server does not offer TLS.
  | "tls_missing"
  // The server does not offer AUTH, or the connection is not secure.
  | "auth_missing"
  // The reply is 4xx or 5xx.
  | "refused"
  // No final reply arrived after the content was sent.
  | "unanswered"
  // The mail needs an extension that the server does not support.
  | "unsupported";

export class SmtpFault extends Error {
  readonly kind: SmtpFaultKind;
  /** Set for `refused` only. */
  readonly code: number | undefined;
  constructor(kind: SmtpFaultKind, message: string, code?: number) {
    super(message);
    this.name = "SmtpFault";
    this.kind = kind;
    this.code = code;
  }
}

/** Reads and writes over one socket. Every method except `close` completes within its time limit or throws a `SmtpFault`. */
export type SmtpChannel = {
  /** Upgrades to TLS. The runtime verifies the certificate for the connected host. */
  startTls(): Promise<void>;
  readReply(): Promise<SmtpReply>;
  /** Writes one line, which is passed without CRLF, and returns the reply. */
  command(line: string): Promise<SmtpReply>;
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens a TCP connection. With `secureTransport: "on"`, it uses TLS from the start and the runtime verifies the certificate.
 * `host` is a name or an IP address. `limitMs` returns the time limit of the next step in ms. Throws `SmtpFault` `timeout` or
 * `disconnected`.
 */
export async function openSmtpChannel(
  host: string,
  port: number,
  secureTransport: "off" | "starttls" | "on",
  limitMs: () => number,
): Promise<SmtpChannel> {
  const hostname = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const encoder = new TextEncoder();
  let decoder = new TextDecoder();
  let received = "";

  let socket = runOrFault(() => connect({ hostname, port }, { secureTransport, allowHalfOpen: false }));
  let reader: ReadableStreamDefaultReader<Uint8Array> = socket.readable.getReader();
  let writer: WritableStreamDefaultWriter<Uint8Array> = socket.writable.getWriter();
  ignoreRejections(socket);

  /** Runs one step within its time limit. After a failed step only `close` may be called. */
  async function runStep<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await withTimeout(work(), limitMs(), () => new SmtpFault("timeout", "no reply in time"));
    } catch (error) {
      if (error instanceof SmtpFault) throw error;
      throw new SmtpFault("disconnected", String(error));
    }
  }

  async function readLine(): Promise<string> {
    for (;;) {
      const end = received.indexOf("\n");
      if (end > MAX_LINE_LENGTH || (end < 0 && received.length > MAX_LINE_LENGTH)) {
        throw new SmtpFault("protocol", "a line of the server is too long");
      }
      if (end >= 0) {
        const line = received.slice(0, end).replace(/\r$/, "");
        received = received.slice(end + 1);
        return line;
      }
      const { done, value } = await reader.read();
      if (done) throw new SmtpFault("disconnected", "the server closed the connection");
      received += decoder.decode(value, { stream: true });
    }
  }

  async function readReplyLines(): Promise<SmtpReply> {
    const lines: string[] = [];
    let first = "";
    while (lines.length < MAX_REPLY_LINES) {
      const [, code, separator, text] = /^([2-5]\d\d)(?:([ -])(.*))?$/.exec(await readLine()) ?? [];
      if (code === undefined || (first !== "" && code !== first)) {
        throw new SmtpFault("protocol", "the server sent a line that is not an SMTP reply");
      }
      first = code;
      lines.push(text ?? "");
      if (separator !== "-") return { code: Number(code), lines };
    }
    throw new SmtpFault("protocol", "a reply of the server has too many lines");
  }

  const channel: SmtpChannel = {
    startTls: () =>
      runStep(async () => {
        // Plain-text bytes in the buffer would be read as if TLS had protected them (STARTTLS injection).
        if (received !== "") throw new SmtpFault("protocol", "the server sent data before TLS started");
        reader.releaseLock();
        writer.releaseLock();
        socket = socket.startTls();
        reader = socket.readable.getReader();
        writer = socket.writable.getWriter();
        decoder = new TextDecoder();
        ignoreRejections(socket);
        await socket.opened;
      }),
    readReply: () => runStep(readReplyLines),
    command: (line) =>
      runStep(async () => {
        await writer.write(encoder.encode(`${line}\r\n`));
        return readReplyLines();
      }),
    write: (bytes) => runStep(() => writer.write(bytes)),
    close: async () => {
      try {
        await runStep(() => socket.close());
      } catch (error) {
        // A broken connection cannot be closed.
        if (!(error instanceof SmtpFault)) throw error;
      }
    },
  };
  try {
    await runStep(() => socket.opened);
  } catch (error) {
    await channel.close();
    throw error;
  }
  return channel;
}

/** Converts the error that `connect` throws for an invalid port or address to a `SmtpFault`. */
function runOrFault<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SmtpFault("disconnected", String(error));
  }
}

/** Prevents unhandled rejections. Reads and writes report the same failure. */
function ignoreRejections(socket: Socket): void {
  socket.opened.catch(() => undefined);
  socket.closed.catch(() => undefined);
}
