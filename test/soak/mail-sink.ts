import { SMTPServer } from "smtp-server";

/** A mail that was received completely. `at` is its arrival (ms since the epoch). */
export type TakenMail = { to: string; messageId: string; date: string; at: number };

/** Delay between the content and the relay's response, so that the test kills some processes in between. */
const THINKING_MS = 30;

/** Starts a relay on a loopback port that accepts every mail and records the headers that identify it. */
export async function startMailSink(port: number): Promise<{ mails: TakenMail[]; close: () => Promise<void> }> {
  const mails: TakenMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    authOptional: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const content = Buffer.concat(chunks).toString("utf8");
        const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(content)?.[1]?.trim() ?? "";
        const to = session.envelope.rcptTo[0]?.address ?? "";
        mails.push({ to, messageId: header("Message-ID"), date: header("Date"), at: Date.now() });
        setTimeout(() => done(), THINKING_MS);
      });
    },
  });
  // A killed process closes its connection in the middle of a command, which is expected here.
  server.on("error", () => {});
  await new Promise<void>((listening) => {
    server.listen(port, "127.0.0.1", () => listening());
  });
  return { mails, close: () => new Promise((closed) => server.close(() => closed())) };
}
