import { connect } from "cloudflare:sockets";
import { withTimeout } from "../../../kit/timeout";

/** Caps of what a server may say: one line, the lines of one reply (RFC 5321, 4.5.3 asks for 512 characters). */
const MAX_LINE_LENGTH = 4096;
const MAX_REPLY_LINES = 128;

/** `code` 200..599 and the text of each line. */
export type SmtpReply = { code: number; lines: string[] };

/**
 * Why a dialogue ended: no answer in time; connection or TLS failure; an answer outside the protocol; TLS or a form of
 * AUTH that is not offered; a reply that refuses; no answer after the content was begun; a mail the server cannot take.
 */
export type SmtpFaultKind =
  | "timeout"
  | "disconnected"
  | "protocol"
  | "tls_missing"
  | "auth_missing"
  | "refused"
  | "unanswered"
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

/** Lines and bytes over one socket. Every method is one step: it ends in time or throws a `SmtpFault`. */
export type SmtpChannel = {
  /** Continues under TLS; the runtime checks the certificate against the host that was connected to. */
  startTls(): Promise<void>;
  readReply(): Promise<SmtpReply>;
  /** Writes one line (without CRLF) and reads the reply to it. */
  command(line: string): Promise<SmtpReply>;
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens a TCP connection, under TLS from the start with `on`; the runtime checks the certificate. `host` is a name or an
 * IP address; `limitMs` answers how many ms the next step may take. Throws `SmtpFault` `timeout` or `disconnected`.
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
  observe(socket);

  /** Runs one step against its time. A step that failed leaves the channel fit for `close` only. */
  async function runStep<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await withTimeout(work(), limitMs(), () => new SmtpFault("timeout", "no answer in time"));
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
        throw new SmtpFault("protocol", "an answer of the server is not a reply");
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
        // Bytes that came in clear text would be read as if they were protected (the STARTTLS injection flaw).
        if (received !== "") throw new SmtpFault("protocol", "the server spoke before TLS began");
        reader.releaseLock();
        writer.releaseLock();
        socket = socket.startTls();
        reader = socket.readable.getReader();
        writer = socket.writable.getWriter();
        decoder = new TextDecoder();
        observe(socket);
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
        // A connection that is broken already cannot be closed; nothing is left to do for it.
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

/** `connect` itself throws for a port or an address that it refuses. */
function runOrFault<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SmtpFault("disconnected", String(error));
  }
}

/** The same failure reaches whoever reads or writes; without a handler here it would also be an unhandled rejection. */
function observe(socket: Socket): void {
  socket.opened.catch(() => undefined);
  socket.closed.catch(() => undefined);
}
