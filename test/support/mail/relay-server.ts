import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type Certificate = { key: string; cert: string };
export type RelayKind = "plain" | "starttls" | "tls" | "loginOnly" | "noStartTls" | "noAuth" | "untrusted";

/** `untrusted` has a self-signed certificate for localhost. */
const RELAYS: Record<RelayKind, { secure: boolean; disabled: string[]; methods: string[] }> = {
  plain: { secure: false, disabled: ["STARTTLS", "AUTH"], methods: [] },
  starttls: { secure: false, disabled: [], methods: ["PLAIN", "LOGIN"] },
  tls: { secure: true, disabled: [], methods: ["PLAIN", "LOGIN"] },
  loginOnly: { secure: true, disabled: [], methods: ["LOGIN"] },
  noStartTls: { secure: false, disabled: ["STARTTLS"], methods: ["PLAIN"] },
  noAuth: { secure: true, disabled: ["AUTH"], methods: [] },
  untrusted: { secure: true, disabled: ["AUTH"], methods: [] },
};

/**
 * Starts a real SMTP server on a free loopback port. It rejects a recipient `refuse-<code>@...` with that code, and
 * `content-<code>@...` after the content; the password must be "correct". Each accepted mail is recorded as
 * `mail:<recipient>`.
 */
export async function startRelay(
  kind: RelayKind,
  certificates: { trusted: Certificate; untrusted: Certificate },
  recorded: Map<string, unknown>,
): Promise<number> {
  const { secure, disabled, methods } = RELAYS[kind];
  let connections = 0;
  const server = new SMTPServer({
    secure,
    ...(kind === "untrusted" ? certificates.untrusted : certificates.trusted),
    disabledCommands: disabled,
    authMethods: methods,
    authOptional: true,
    onAuth({ method, username, password }, _session, done) {
      if (password !== "correct") return done(smtpError(535, `5.7.8 no entry for ${username} with ${password}`));
      return done(null, { user: `${method}:${username}` });
    },
    onRcptTo({ address }, _session, done) {
      const code = /^refuse-(\d{3})@/.exec(address)?.[1];
      done(code ? smtpError(Number(code), `not for ${address}, see https://mail.example.test/help`) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo[0]?.address ?? "";
        const code = /^content-(\d{3})@/.exec(to)?.[1];
        if (code) return done(smtpError(Number(code), "not this content"));
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : null;
        const content = Buffer.concat(chunks).toString("utf8");
        recorded.set(`mail:${to}`, {
          from,
          to,
          content,
          user: session.user ?? null,
          secure: session.secure,
          connections,
        });
        return done();
      });
    },
  });
  // Some tests reject the certificate or disconnect.
  server.on("error", (error) => recorded.set(`error:${kind}`, String(error)));
  server.server.on(secure ? "secureConnection" : "connection", () => {
    connections += 1;
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.server.address() as AddressInfo).port;
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
