import { clock } from "../../../kit/clock";
import { textToBase64 } from "../../../kit/crypto/encoding";
import { checkPublicHost } from "../../../kit/net/public-address";
import { domainOf, hasNonAscii, normalizeAddress, UnsendableMailError } from "../mime/mail-address";
import { buildMime, type MimeContent } from "../mime/mime";
import { filterDetail } from "../providers/detail";
import type { OutgoingMail, ProviderOutcome, SmtpConfig, Transport } from "../providers/types";
import { createPool } from "./pool";
import { SmtpFault } from "./smtp-channel";
import { openSmtpConnection, type SmtpConnection } from "./smtp-client";
import { vendorHeaders } from "./smtp-vendors";

/**
 * DATA starts only if at least this much time is left before the deadline. With less time, the attempt could end before the
 * server replies to the content, and the outcome would be unknown.
 */
const DATA_RESERVE_MS = 5000;
const QUIT_TIMEOUT_MS = 1000;
/** Maximum number of mails per connection. Many relays close a connection after some mails. */
const MAX_MAILS = 20;
/** Maximum idle time of a connection. Relays close idle connections, some without notice, so older ones are replaced. */
const MAX_IDLE_MS = 5000;
const UNAUTHORIZED_CODES = new Set([530, 534, 535, 538]);

/**
 * Sends the mails of one claim over at most `maxConnections` reused connections, one mail at a time per connection. When no
 * connection can be opened, every further mail gets the same outcome without another attempt. When one of several connections
 * cannot be opened, the others send its mails.
 */
export function openSmtpSession(
  config: SmtpConfig,
  resolve: (name: string) => Promise<string[]>,
  maxConnections = 1,
): Transport {
  const secrets = [config.password, config.username, textToBase64(config.password)];
  const pool = createPool<Slot>(maxConnections, () => ({ mails: 0, idleSince: 0, deadline: Number.POSITIVE_INFINITY }));
  let connectFailure: ProviderOutcome | undefined;
  const limitOf = (slot: Slot) => () => Math.max(1, Math.min(config.timeoutMs, slot.deadline - clock.now()));

  async function connect(slot: Slot, helloName: string): Promise<SmtpConnection | ProviderOutcome> {
    if (connectFailure) return connectFailure;
    try {
      const checked = await checkHost(config, resolve);
      if ("kind" in checked) return checked;
      const target = {
        host: checked.host,
        port: config.port,
        helloName,
        security: config.useSsl ? ("implicit" as const) : config.useTls ? ("starttls" as const) : ("none" as const),
        credentials: config.username === "" ? null : { username: config.username, password: config.password },
      };
      return await openSmtpConnection(target, limitOf(slot));
    } catch (error) {
      return toOutcome(error, secrets);
    }
  }

  /** Sends one mail over the connection of this slot. Returns null when the slot cannot connect but another slot can send. */
  async function deliver(mail: OutgoingMail, slot: Slot, beforeData: () => Promise<boolean>) {
    const prepared = prepareMail(mail, vendorHeaders(config, mail.messageId));
    if ("kind" in prepared) return prepared;
    for (;;) {
      const isReused = await isReusable(slot);
      if (!slot.connection) {
        const connected = await connect(slot, domainOf(prepared.envelope.from));
        if ("kind" in connected) {
          if (pool.all().some(({ connection }) => connection)) return null;
          connectFailure = connected;
          return connected;
        }
        Object.assign(slot, { connection: connected, mails: 0 });
      }
      const { connection } = slot;
      if (!connection) throw new Error("the slot has no connection");
      let hasSentCommand = false;
      try {
        slot.mails += 1;
        const reply = await connection.transact(prepared.envelope, prepared.content, async () => {
          if (slot.deadline - clock.now() < Math.min(DATA_RESERVE_MS, config.timeoutMs)) {
            throw new SmtpFault("timeout", "too little time left for DATA");
          }
          hasSentCommand = true;
          return beforeData();
        });
        if (reply === null) return { kind: "lost" } as const;
        // The reply contains the id of the mail at the relay, which is needed for support requests.
        const detail = filterDetail(`${reply.code} ${reply.lines.join(" ")}`, secrets);
        return { kind: "accepted", providerMessageId: mail.messageId, detail } as const;
      } catch (error) {
        if (!canContinue(error)) await drop(slot);
        if (!(error instanceof SmtpFault)) throw error;
        // The server closed a reused connection between two mails. A retry is safe because no content was sent.
        const isStale = isReused && !hasSentCommand && (error.kind === "disconnected" || error.code === 421);
        if (!isStale) return toOutcome(error, secrets);
      }
    }
  }

  return {
    async send(mail, { deadline = Number.POSITIVE_INFINITY, beforeData }) {
      for (;;) {
        const slot = await pool.acquire();
        slot.deadline = deadline;
        let isRetired = false;
        try {
          const outcome = await deliver(mail, slot, beforeData);
          if (outcome !== null) return outcome;
          isRetired = true;
        } finally {
          slot.idleSince = clock.now();
          pool.release(slot, isRetired);
        }
      }
    },
    async close() {
      await pool.drain();
      await Promise.all(pool.all().map(quit));
    },
  };
}

/** A slot for a connection. `mails` counts the mails sent over it; `idleSince` and `deadline` are in unix ms. */
type Slot = { connection?: SmtpConnection; mails: number; idleSince: number; deadline: number };

/** Returns whether the slot has a connection that can send another mail. Closes a connection that cannot. */
async function isReusable(slot: Slot): Promise<boolean> {
  if (!slot.connection) return false;
  const isExhausted = slot.mails >= MAX_MAILS || clock.now() - slot.idleSince > MAX_IDLE_MS;
  if (isExhausted) {
    await quit(slot);
    return false;
  }
  try {
    await slot.connection.reset();
    return true;
  } catch (error) {
    await drop(slot);
    if (error instanceof SmtpFault) return false;
    throw error;
  }
}

async function quit(slot: Slot): Promise<void> {
  const { connection, deadline } = slot;
  delete slot.connection;
  slot.deadline = clock.now() + QUIT_TIMEOUT_MS;
  await connection?.quit();
  slot.deadline = deadline;
}

async function drop(slot: Slot): Promise<void> {
  const { connection } = slot;
  delete slot.connection;
  await connection?.close();
}

/** Returns whether the connection can be reused after this failure. The next mail then begins with RSET. */
function canContinue(error: unknown): boolean {
  return error instanceof SmtpFault && error.code !== 421 && ["refused", "unsupported"].includes(error.kind);
}

/**
 * Returns the host to connect to, or the outcome when the host of a company is not public or does not resolve. The runtime
 * verifies the certificate for the host that it connects to, so the connection cannot use the checked IP address. Instead,
 * every connection repeats the check, which rejects a name with any private address, as for webhooks.
 */
async function checkHost(
  config: SmtpConfig,
  resolve: (name: string) => Promise<string[]>,
): Promise<{ host: string } | ProviderOutcome> {
  if (!config.checkPublicHost) return { host: config.host };
  const check = await checkPublicHost(config.host, resolve);
  if (check.ok) return { host: check.host };
  return check.reason === "not_public"
    ? { kind: "final", code: "provider_host_not_public" }
    : { kind: "retry", code: "provider_unreachable", detail: "the host name does not resolve" };
}

type PreparedMail = { envelope: { from: string; to: string; isInternational: boolean }; content: MimeContent };

function prepareMail(mail: OutgoingMail, vendor: Readonly<Record<string, string>>): PreparedMail | ProviderOutcome {
  try {
    const from = normalizeAddress("from.address", mail.from.address);
    const to = normalizeAddress("to", mail.to);
    const content = buildMime(mail, new Date(mail.acceptedAt), vendor);
    return { envelope: { from, to, isInternational: hasNonAscii(from + to + (mail.replyTo ?? "")) }, content };
  } catch (error) {
    if (error instanceof UnsendableMailError) return { kind: "final", code: "provider_error", detail: error.message };
    throw error;
  }
}

function toOutcome(error: unknown, secrets: readonly string[]): ProviderOutcome {
  if (!(error instanceof SmtpFault)) throw error;
  const detail = filterDetail(error.message, secrets);
  switch (error.kind) {
    case "timeout":
      return { kind: "retry", code: "provider_timeout", detail };
    case "disconnected":
    case "protocol":
    case "tls_missing":
      return { kind: "retry", code: "provider_unreachable", detail };
    // Credentials are never sent in plain text, so no later attempt can succeed. As for a rejected password, the lane pauses
    // until the provider is corrected.
    case "auth_missing":
      return { kind: "retry", code: "provider_unauthorized", detail, pause: true };
    case "unanswered":
      return { kind: "retry", code: "delivery_unknown", detail };
    case "unsupported":
      return { kind: "final", code: "provider_rejected", detail };
    case "refused":
      return toRejection(error.code ?? 0, detail);
  }
}

function toRejection(code: number, detail: string): ProviderOutcome {
  if (UNAUTHORIZED_CODES.has(code)) return { kind: "retry", code: "provider_unauthorized", detail, pause: true };
  return code >= 500
    ? { kind: "final", code: "provider_rejected", detail }
    : { kind: "retry", code: "provider_unavailable", detail };
}
