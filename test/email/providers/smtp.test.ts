import { describe, expect, inject, it } from "vitest";
import type { OutgoingMail, ProviderOutcome, SmtpConfig } from "../../../workers/email/delivery/providers/types";
import { openSmtpSession } from "../../../workers/email/delivery/smtp/smtp";
import { openSmtpConnection, toDataContent } from "../../../workers/email/delivery/smtp/smtp-client";
import { base64ToBytes } from "../../../workers/kit/crypto/encoding";
import { createAttachment } from "../../support/email/attachments";
import { createMail, createSmtpConfig, readRecord } from "../../support/email/provider-fixtures";
import { beforeTimer } from "../../support/wall-clock";

type ReceivedMail = {
  from: string;
  to: string;
  content: string;
  user: string | null;
  secure: boolean;
  connections: number;
};

const { relays, raw, closed } = inject("mailServers");
const keepLease = async () => true;
const resolveNothing = async () => [];
const credentials = { username: "mailer", password: "correct" };

const connectionsOf = async (scenario: string) =>
  ((await readRecord<string[]>(`raw:${scenario}`)) ?? []).filter((line) => line === "<connected>").length;

async function sendOne(config: SmtpConfig, mail: OutgoingMail, deadline?: number): Promise<ProviderOutcome> {
  const session = openSmtpSession(config, resolveNothing);
  try {
    return await session.send(mail, { beforeData: keepLease, ...(deadline === undefined ? {} : { deadline }) });
  } finally {
    await session.close();
  }
}

describe("delivery to an SMTP relay", () => {
  it("sends over a plain connection and returns the message id", async () => {
    const mail = createMail();
    expect(await sendOne(createSmtpConfig(relays.plain), mail)).toEqual({
      kind: "accepted",
      providerMessageId: mail.messageId,
      detail: expect.stringMatching(/^250 /),
    });
    const received = await readRecord<ReceivedMail>(`mail:${mail.to}`);
    expect(received).toMatchObject({ from: mail.from.address, to: mail.to, secure: false, user: null });
    expect(received?.content).toContain(`Message-ID: <${mail.messageId.slice(4)}@sender.example.test>`);
  });

  it.each([
    ["STARTTLS with AUTH PLAIN", relays.starttls, { useTls: true }, "PLAIN:mailer"],
    ["implicit TLS with AUTH PLAIN", relays.tls, { useSsl: true }, "PLAIN:mailer"],
    ["implicit TLS with AUTH LOGIN", relays.loginOnly, { useSsl: true }, "LOGIN:mailer"],
    ["implicit TLS when both forms are set", relays.tls, { useSsl: true, useTls: true }, "PLAIN:mailer"],
  ])("sends over %s", async (_title, port, security, user) => {
    const mail = createMail();
    const outcome = await sendOne(createSmtpConfig(port, { ...security, ...credentials }), mail);
    expect(outcome).toMatchObject({ kind: "accepted", providerMessageId: mail.messageId });
    expect(await readRecord<ReceivedMail>(`mail:${mail.to}`)).toMatchObject({ secure: true, user });
  });

  it("sends a group over one connection, one mail after another", async () => {
    const session = openSmtpSession(createSmtpConfig(raw.polite), resolveNothing);
    const mails = [createMail(), createMail(), createMail()];
    const outcomes = await Promise.all(mails.map((mail) => session.send(mail, { beforeData: keepLease })));
    await session.close();
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(["accepted", "accepted", "accepted"]);
    const lines = (await readRecord<string[]>("raw:polite")) ?? [];
    expect(lines.filter((line) => line === "<connected>")).toHaveLength(1);
    expect(lines.at(-1)).toBe("QUIT");
  });

  it("opens a new connection after 20 mails", async () => {
    const session = openSmtpSession(createSmtpConfig(raw.manyMails), resolveNothing);
    for (let i = 0; i < 21; i++) {
      expect((await session.send(createMail(), { beforeData: keepLease })).kind).toBe("accepted");
    }
    await session.close();
    expect(await connectionsOf("manyMails")).toBe(2);
  });

  it("continues with its open connections when the server accepts no more", async () => {
    const session = openSmtpSession(createSmtpConfig(raw.oneConnectionOnly), resolveNothing, 3);
    const mails = Array.from({ length: 6 }, () => createMail());
    const outcomes = [await session.send(mails[0] ?? createMail(), { beforeData: keepLease })];
    const others = mails.slice(1).map((mail) => session.send(mail, { beforeData: keepLease }));
    outcomes.push(...(await Promise.all(others)));
    await session.close();
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(Array(6).fill("accepted"));
  });

  it.each(["oneMailOnly", "closesBetweenMails", "refusesReset"] as const)(
    "opens a new connection when the server closes the old one: %s",
    async (scenario) => {
      const session = openSmtpSession(createSmtpConfig(raw[scenario]), resolveNothing);
      const first = await session.send(createMail(), { beforeData: keepLease });
      const second = await session.send(createMail(), { beforeData: keepLease });
      await session.close();
      expect([first.kind, second.kind]).toEqual(["accepted", "accepted"]);
    },
  );

  it("sends attachments, and no mail when one cannot be read", async () => {
    const bytes = Uint8Array.from({ length: 100_001 }, (_, index) => index % 256);
    const file = createAttachment({ bytes, chunks: [1, 70_000, 30_000] });
    const mail = createMail({ attachments: [file] });
    const session = openSmtpSession(createSmtpConfig(relays.plain), resolveNothing);
    expect((await session.send(mail, { beforeData: keepLease })).kind).toBe("accepted");
    const { content } = (await readRecord<ReceivedMail>(`mail:${mail.to}`)) ?? { content: "" };
    const [, encoded = ""] = /filename="invoice.pdf"\r\n\r\n([^-]*)--mixed-/.exec(content) ?? [];
    expect(base64ToBytes(encoded.replace(/\r\n/g, ""))).toEqual(bytes);

    const open = () => Promise.reject(new Error("no such object"));
    const broken = createMail({ attachments: [file, createAttachment({ open })] });
    await expect(session.send(broken, { beforeData: keepLease })).rejects.toThrow("no such object");
    const next = createMail();
    expect((await session.send(next, { beforeData: keepLease })).kind).toBe("accepted");
    await session.close();
    expect(await readRecord(`mail:${broken.to}`)).toBeNull();
  });

  it("preserves leading dots, single dots and other line endings of the content", async () => {
    const to = createMail().to;
    const target = { host: "localhost", port: relays.plain, security: "none" as const };
    const connection = await openSmtpConnection(
      { ...target, credentials: null, helloName: "a.example.test" },
      () => 3000,
    );
    const envelope = { from: "a@example.test", to, isInternational: false };
    const content = ["Subject: x\n\n.\n..two\r.three\r\n.\r\nend"];
    expect(await connection.transact(envelope, content, keepLease)).toMatchObject({ code: 250 });
    await connection.quit();
    const received = await readRecord<ReceivedMail>(`mail:${to}`);
    expect(received?.content).toBe("Subject: x\r\n\r\n.\r\n..two\r\n.three\r\n.\r\nend\r\n");
  });

  it("escapes dots only at the start of a line", () => {
    expect(toDataContent("a.b\r\n.c\n.\n\u2028.d")).toBe("a.b\r\n..c\r\n..\r\n\u2028.d\r\n");
  });

  it("sends a large mail completely", async () => {
    const mail = createMail({ html: `<p>${"é".repeat(400_000)}</p>` });
    expect((await sendOne(createSmtpConfig(relays.tls, { useSsl: true }), mail)).kind).toBe("accepted");
    expect((await readRecord<ReceivedMail>(`mail:${mail.to}`))?.content.length).toBeGreaterThan(1_000_000);
  });

  it("uses SMTPUTF8 for a local part that is not ASCII, and rejects the mail if the server does not offer it", async () => {
    const to = `zoé-${crypto.randomUUID()}@example.test`;
    expect((await sendOne(createSmtpConfig(relays.plain), createMail({ to }))).kind).toBe("accepted");
    expect((await readRecord<ReceivedMail>(`mail:${to}`))?.content).toContain(`To: <${to}>`);
    expect(await sendOne(createSmtpConfig(raw.polite), createMail({ to }))).toMatchObject({
      kind: "final",
      code: "provider_rejected",
    });
  });
});

describe("rejections by an SMTP relay", () => {
  it.each([
    [450, { kind: "retry", code: "provider_unavailable" }],
    [550, { kind: "final", code: "provider_rejected" }],
    [530, { kind: "retry", code: "provider_unauthorized", pause: true }],
  ])("have the documented outcome with code %i for the recipient", async (code, outcome) => {
    expect(
      await sendOne(createSmtpConfig(relays.plain), createMail({ to: `refuse-${code}@example.test` })),
    ).toMatchObject(outcome);
  });

  it.each([
    [451, { kind: "retry", code: "provider_unavailable" }],
    [554, { kind: "final", code: "provider_rejected" }],
  ])("have the documented outcome with code %i after the content", async (code, outcome) => {
    expect(
      await sendOne(createSmtpConfig(relays.plain), createMail({ to: `content-${code}@example.test` })),
    ).toMatchObject(outcome);
  });

  it("have the documented outcome at the greeting and at MAIL FROM", async () => {
    expect(await sendOne(createSmtpConfig(raw.greets554), createMail())).toMatchObject({
      kind: "final",
      code: "provider_rejected",
    });
    expect(await sendOne(createSmtpConfig(raw.mail530), createMail())).toMatchObject({
      kind: "retry",
      code: "provider_unauthorized",
      pause: true,
    });
  });

  it("pause the lane for a wrong password, and appear in the detail without password and user", async () => {
    const config = createSmtpConfig(relays.tls, { useSsl: true, username: "mailer-name", password: "wrong-word" });
    const outcome = await sendOne(config, createMail());
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_unauthorized", pause: true });
    expect(JSON.stringify(outcome)).toContain("[Filtered]");
    expect(JSON.stringify(outcome)).not.toMatch(/mailer-name|wrong-word/);
  });

  it("appear in the detail without addresses and URLs", async () => {
    const outcome = await sendOne(createSmtpConfig(relays.plain), createMail({ to: "refuse-550@example.test" }));
    expect(outcome).toMatchObject({ detail: "550 not for [Filtered], see [Filtered]" });
  });

  it("keep the connection usable after a rejected recipient", async () => {
    const session = openSmtpSession(createSmtpConfig(relays.plain), resolveNothing);
    const rejected = await session.send(createMail({ to: "refuse-550@example.test" }), { beforeData: keepLease });
    const [before, after] = [createMail(), createMail()];
    await session.send(before, { beforeData: keepLease });
    await session.send(after, { beforeData: keepLease });
    await session.close();
    expect(rejected.kind).toBe("final");
    const counts = [
      await readRecord<ReceivedMail>(`mail:${before.to}`),
      await readRecord<ReceivedMail>(`mail:${after.to}`),
    ];
    expect(counts[0]?.connections).toBe(counts[1]?.connections);
  });
});

describe("protection of SMTP credentials and content", () => {
  it("never sends credentials without TLS", async () => {
    const outcome = await sendOne(createSmtpConfig(raw.polite, credentials), createMail());
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_unauthorized", pause: true });
    expect(((await readRecord<string[]>("raw:polite")) ?? []).some((line) => line.startsWith("AUTH"))).toBe(false);
  });

  it("does not fall back to clear text when STARTTLS is not offered", async () => {
    const outcome = await sendOne(createSmtpConfig(relays.noStartTls, { useTls: true, ...credentials }), createMail());
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_unreachable" });
  });

  it("rejects a relay without AUTH when there are credentials", async () => {
    const outcome = await sendOne(createSmtpConfig(relays.noAuth, { useSsl: true, ...credentials }), createMail());
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_unauthorized", pause: true });
  });

  it("rejects an untrusted certificate", async () => {
    const outcome = await sendOne(createSmtpConfig(relays.untrusted, { useSsl: true }), createMail());
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_unreachable" });
  });

  it.each([
    ["implicit TLS", relays.tls, { useSsl: true }],
    ["STARTTLS", relays.starttls, { useTls: true }],
  ])("rejects a certificate for another host name: %s", async (_title, port, security) => {
    const config = createSmtpConfig(port, { host: "127.0.0.1", ...security, ...credentials });
    expect(await sendOne(config, createMail())).toMatchObject({ kind: "retry", code: "provider_unreachable" });
  });

  it("rejects clear text injected before TLS", async () => {
    const outcome = await sendOne(createSmtpConfig(raw.earlyTls, { useTls: true }), createMail());
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_unreachable" });
  });

  it.each([
    ["subject", { subject: "a\r\nBcc: x@example.test" }],
    ["recipient", { to: "a@example.test>\r\nRCPT TO:<b@example.test" }],
    ["recipient with a space", { to: "a@example.test SIZE=1" }],
    ["sender name", { from: { name: "a\nb", address: "a@example.test" } }],
    ["reply address", { replyTo: "a@example.test\u0000" }],
    ["header value", { headers: { "List-Id": "a\r\nX: y" } }],
    ["header name", { headers: { "X\r\nY": "a" } }],
    ["reserved header", { headers: { Bcc: "x@example.test" } }],
  ])("rejects a %s that would break the mail, without connecting", async (_title, changes) => {
    const outcome = await sendOne(createSmtpConfig(closed), createMail(changes));
    expect(outcome).toMatchObject({ kind: "final", code: "provider_error" });
  });

  it("rejects a host that is not public and retries one that does not resolve", async () => {
    const config = createSmtpConfig(relays.plain, { checkPublicHost: true });
    expect(await sendOne(config, createMail())).toEqual({ kind: "final", code: "provider_host_not_public" });
    const session = openSmtpSession({ ...config, host: "mail.example.test" }, async () => [
      "93.184.216.34",
      "10.1.1.1",
    ]);
    expect(await session.send(createMail(), { beforeData: keepLease })).toEqual({
      kind: "final",
      code: "provider_host_not_public",
    });
    expect(await sendOne({ ...config, host: "mail.example.test" }, createMail())).toMatchObject({
      kind: "retry",
      code: "provider_unreachable",
    });
  });
});

describe("misbehaving SMTP servers", () => {
  const impatient = { timeoutMs: 400 };
  /** A timeout that leaves time for the earlier steps on a busy machine. */
  const patient = { timeoutMs: 1500 };

  it.each(["silent", "drip", "silentAfterRcpt"] as const)("time out before DATA: %s", async (scenario) => {
    const outcome = await sendOne(createSmtpConfig(raw[scenario], impatient), createMail());
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_timeout" });
  });

  it.each([
    "closeAtOnce",
    "halfClose",
    "garbage",
    "endlessLine",
    "endlessReply",
    "closeAfterRcpt",
    "closeBeforeContent",
  ] as const)("are unreachable before the content: %s", async (scenario) => {
    const outcome = await sendOne(createSmtpConfig(raw[scenario]), createMail());
    expect(outcome).toMatchObject({ kind: "retry", code: "provider_unreachable" });
  });

  it.each(["silentAfterContent", "closeAfterContent", "halfCloseAfterContent", "garbageAfterContent"] as const)(
    "leave the result unknown after the content, without a second try: %s",
    async (scenario) => {
      const limit = scenario === "silentAfterContent" ? patient : {};
      const outcome = await sendOne(createSmtpConfig(raw[scenario], limit), createMail());
      expect(outcome).toMatchObject({ kind: "retry", code: "delivery_unknown" });
    },
  );

  it("cannot block the upload of the content longer than the timeout", async () => {
    const mail = createMail({ html: "x".repeat(12_000_000) });
    const outcome = await sendOne(createSmtpConfig(raw.deafDuringContent, patient), mail);
    expect(outcome).toMatchObject({ kind: "retry", code: "delivery_unknown" });
  });

  it("are unreachable on a closed port or an unknown host name", async () => {
    expect(await sendOne(createSmtpConfig(closed), createMail())).toMatchObject({
      kind: "retry",
      code: "provider_unreachable",
    });
    const config = createSmtpConfig(closed, { host: "no-such-host.invalid" });
    expect(await sendOne(config, createMail())).toMatchObject({ kind: "retry", code: "provider_unreachable" });
  });

  // Measures wall-clock time, because five timeouts in sequence would take far longer.
  it("fail all mails of a group after one timeout when they do not respond", async () => {
    const session = openSmtpSession(createSmtpConfig(raw.silent, impatient), resolveNothing);
    const outcomes = await beforeTimer(1200, async () => {
      const sent = [1, 2, 3, 4, 5].map(() => session.send(createMail(), { beforeData: keepLease }));
      const ends = await Promise.all(sent);
      await session.close();
      return ends;
    });
    expect(outcomes.every((outcome) => "code" in outcome && outcome.code === "provider_timeout")).toBe(true);
  });
});

describe("the lease of an SMTP delivery", () => {
  it("prevents the mail when it is lost, and the session continues with the next mail", async () => {
    const session = openSmtpSession(createSmtpConfig(relays.plain), resolveNothing);
    const lost = createMail();
    expect(await session.send(lost, { beforeData: async () => false })).toEqual({ kind: "lost" });
    expect((await session.send(createMail(), { beforeData: keepLease })).kind).toBe("accepted");
    await session.close();
    expect(await readRecord(`mail:${lost.to}`)).toBeNull();
  });

  it("is checked once, after the recipient is accepted", async () => {
    let checks = 0;
    const beforeData = async () => {
      checks += 1;
      return true;
    };
    const session = openSmtpSession(createSmtpConfig(relays.plain), resolveNothing);
    await session.send(createMail({ to: "refuse-550@example.test" }), { beforeData });
    expect(checks).toBe(0);
    await session.send(createMail(), { beforeData });
    await session.close();
    expect(checks).toBe(1);
  });

  it("rethrows an error of its check and sends nothing", async () => {
    const mail = createMail();
    const session = openSmtpSession(createSmtpConfig(relays.plain), resolveNothing);
    const failing = async () => Promise.reject(new Error("the database is unavailable"));
    await expect(session.send(mail, { beforeData: failing })).rejects.toThrow("the database is unavailable");
    expect((await session.send(createMail(), { beforeData: keepLease })).kind).toBe("accepted");
    await session.close();
    expect(await readRecord(`mail:${mail.to}`)).toBeNull();
  });

  it("ends the attempt at the deadline, and starts no DATA shortly before it", async () => {
    const silent = createSmtpConfig(raw.silent, { timeoutMs: 10_000 });
    expect(await sendOne(silent, createMail(), Date.now() + 300)).toMatchObject({
      kind: "retry",
      code: "provider_timeout",
    });
    const mail = createMail();
    const late = await sendOne(createSmtpConfig(relays.plain, { timeoutMs: 10_000 }), mail, Date.now() + 4000);
    expect(late).toMatchObject({ kind: "retry", code: "provider_timeout" });
    expect(await readRecord(`mail:${mail.to}`)).toBeNull();
  });
});
