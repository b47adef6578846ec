import { createServer, type Server, type Socket } from "node:net";

/** The behaviours of the SMTP servers. Most servers violate SMTP in the way that the name describes. */
export const RAW_SCENARIOS = [
  "silent",
  "closeAtOnce",
  "garbage",
  "endlessLine",
  "endlessReply",
  "drip",
  "halfClose",
  "silentAfterRcpt",
  "closeAfterRcpt",
  "closeBeforeContent",
  "silentAfterContent",
  "closeAfterContent",
  "halfCloseAfterContent",
  "garbageAfterContent",
  "deafDuringContent",
  "polite",
  "oneMailOnly",
  "closesBetweenMails",
  "manyMails",
  "wholeClaim",
  "refusesReset",
  "oneConnectionOnly",
  "greets554",
  "mail530",
  "earlyTls",
] as const;
export type RawScenario = (typeof RAW_SCENARIOS)[number];

/** The behaviour of servers that never start an SMTP dialogue. */
const OPENINGS: Partial<Record<RawScenario, (socket: Socket) => void>> = {
  silent: () => undefined,
  closeAtOnce: (socket) => socket.destroy(),
  halfClose: (socket) => socket.end(),
  garbage: (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
  endlessLine: (socket) => socket.write(`220 ${"x".repeat(100_000)}`),
  endlessReply: (socket) => socket.write("220-more\r\n".repeat(5_000)),
  greets554: (socket) => socket.write("554 no service here\r\n"),
  drip,
};

/**
 * Starts an SMTP server on a free loopback port. The record `raw:<scenario>` receives each command line of a client,
 * and `raw-content:<scenario>` the content lines that identify a mail.
 */
export async function startRawSmtpServer(scenario: RawScenario, recorded: Map<string, unknown>): Promise<Server> {
  const lines: string[] = [];
  const contents: string[] = [];
  recorded.set(`raw:${scenario}`, lines);
  recorded.set(`raw-content:${scenario}`, contents);
  let open = 0;
  const server = createServer((socket) => {
    open += 1;
    socket.on("close", () => {
      open -= 1;
    });
    if (scenario === "oneConnectionOnly" && open > 1) return void socket.end("421 too many connections\r\n");
    // Some tests disconnect during the session.
    socket.on("error", () => socket.destroy());
    lines.push("<connected>");
    serve(scenario, socket, lines, contents);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

function serve(scenario: RawScenario, socket: Socket, lines: string[], contents: string[]): void {
  if (scenario in OPENINGS) {
    OPENINGS[scenario]?.(socket);
    return;
  }
  socket.write("220 raw.example.test\r\n");
  let pending = "";
  let mails = 0;
  let isContent = false;
  socket.on("data", (chunk) => {
    pending += chunk.toString("utf8");
    for (let end = pending.indexOf("\r\n"); end >= 0; end = pending.indexOf("\r\n")) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 2);
      if (!isContent) lines.push(line);
      else if (/^(?:Message-ID|Date|To):/.test(line)) contents.push(line);
      if (isContent && line !== ".") continue;
      if (isContent) mails += 1;
      const reply = isContent ? replyToContent(scenario, socket) : replyToCommand(scenario, socket, line, mails);
      isContent = reply.startsWith("354");
      if (reply !== "") socket.write(`${reply}\r\n`);
    }
  });
}

function replyToCommand(scenario: RawScenario, socket: Socket, line: string, mails: number): string {
  const verb = line.slice(0, 4).toUpperCase();
  if (verb === "EHLO")
    return scenario === "earlyTls" ? "250-raw\r\n250 STARTTLS" : "250-raw.example.test\r\n250 SIZE 1000000";
  if (line === "STARTTLS") return "220 go on\r\n250 injected";
  if (verb === "MAIL" && scenario === "mail530") return "530 5.7.0 Authentication required";
  if (verb === "MAIL" && scenario === "oneMailOnly" && mails > 0) return "421 one mail for each connection";
  if (verb === "RSET" && scenario === "refusesReset") return "421 closing";
  if (verb === "RCPT" && scenario === "silentAfterRcpt") return "";
  if (verb === "RCPT" && scenario === "closeAfterRcpt") return destroy(socket);
  if (verb === "DATA" && scenario === "closeBeforeContent") return destroy(socket);
  if (verb === "DATA" && scenario === "deafDuringContent") {
    socket.write("354 go on\r\n");
    socket.pause();
    return "";
  }
  if (verb === "DATA") return "354 go on";
  if (verb === "QUIT") return "221 bye";
  return "250 ok";
}

function replyToContent(scenario: RawScenario, socket: Socket): string {
  if (scenario === "silentAfterContent") return "";
  if (scenario === "closeAfterContent") return destroy(socket);
  if (scenario === "garbageAfterContent") return "thank you";
  if (scenario === "halfCloseAfterContent") {
    socket.end();
    return "";
  }
  if (scenario === "closesBetweenMails") {
    socket.end("250 taken\r\n");
    return "";
  }
  return "250 taken";
}

function destroy(socket: Socket): string {
  socket.destroy();
  return "";
}

/** Sends one byte every 50 ms: the server is never silent for long, but never finishes. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write("2"), 50);
  socket.on("close", () => clearInterval(timer));
}
