import { clock } from "../../../kit/clock";
import { textToBase64 } from "../../../kit/crypto/encoding";
import { checkPublicHost } from "../../../kit/net/public-address";
import { domainOf, hasNonAscii, normalizeAddress, UnsendableMailError } from "../mime/mail-address";
import { buildMime } from "../mime/mime";
import { filterDetail } from "../providers/detail";
import type { OutgoingMail, ProviderOutcome, SmtpConfig, Transport } from "../providers/types";
import { createPool } from "./pool";
import { SmtpFault } from "./smtp-channel";
import { openSmtpConnection, type SmtpConnection } from "./smtp-client";
import { vendorHeaders } from "./smtp-vendors";

/** DATA is not begun with less time than this before the deadline: an unanswered one is repeated once at most. */
const DATA_RESERVE_MS = 5000;
const QUIT_TIMEOUT_MS = 1000;
/** Mails that one connection carries; many relays end a connection after some. */
const MAX_MAILS = 20;
/** A connection that carried nothing for so long is made again: relays end idle ones, some without a word. */
const MAX_IDLE_MS = 5000;
const UNAUTHORIZED_CODES = new Set([530, 534, 535, 538]);

/**
 * Sends the mails of one claim over at most `maxConnections` connections, each of which carries one mail at a time and is used
 * again. When the first connection cannot be made, every further mail gets the same outcome at once; when a further one cannot,
 * the others carry its mails.
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

  /** One mail over the connection of this slot. Null: another connection carries it, since this one cannot be made. */
  async function deliver(mail: OutgoingMail, slot: Slot, beforeData: () => Promise<boolean>) {
    const prepared = prepareMail(mail, vendorHeaders(config, mail.messageId));
    if ("kind" in prepared) return prepared;
    for (;;) {
      const isReused = await isReusable(slot);
      if (!slot.connection) {
        const found = await connect(slot, domainOf(prepared.envelope.from));
        if ("kind" in found) {
          if (pool.all().some(({ connection }) => connection)) return null;
          connectFailure = found;
          return found;
        }
        Object.assign(slot, { connection: found, mails: 0 });
      }
      const { connection } = slot;
      if (!connection) throw new Error("a slot without its connection");
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
        // The reply names the mail by the relay's own number, for support requests there.
        const detail = filterDetail(`${reply.code} ${reply.lines.join(" ")}`, secrets);
        return { kind: "accepted", providerMessageId: mail.messageId, detail } as const;
      } catch (error) {
        if (!canGoOn(error)) await drop(slot);
        if (!(error instanceof SmtpFault)) throw error;
        // The server ended an older connection between two mails. A new one is safe: no content was begun.
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

/** A place for a connection. `mails`: those that it carried; times unix ms. */
type Slot = { connection?: SmtpConnection; mails: number; idleSince: number; deadline: number };

/** Whether the slot has a connection that takes another mail; one that does not is ended. */
async function isReusable(slot: Slot): Promise<boolean> {
  if (!slot.connection) return false;
  const isWorn = slot.mails >= MAX_MAILS || clock.now() - slot.idleSince > MAX_IDLE_MS;
  if (isWorn) {
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

/** Whether the dialogue is in a known state after this failure, from which RSET leads to the next mail. */
function canGoOn(error: unknown): boolean {
  return error instanceof SmtpFault && error.code !== 421 && ["refused", "unsupported"].includes(error.kind);
}

/**
 * The host to connect to, or the outcome for one of a company that is not public or does not resolve. The runtime offers no way to
 * check a certificate against another name than the one connected to, so the checked address cannot be pinned: the
 * check runs at each connection and refuses mixed answers, as for webhooks.
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
    : { kind: "retry", code: "provider_unreachable", detail: "the name of the host does not resolve" };
}

type PreparedMail = { envelope: { from: string; to: string; isInternational: boolean }; content: string };

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
    // Sending the credentials in clear text is no way out, and no later attempt can end otherwise: the lane waits for
    // somebody to correct the provider, as it does for a refused password.
    case "auth_missing":
      return { kind: "retry", code: "provider_unauthorized", detail, pause: true };
    case "unanswered":
      return { kind: "retry", code: "delivery_unknown", detail };
    case "unsupported":
      return { kind: "final", code: "provider_rejected", detail };
    case "refused":
      return toRefusal(error.code ?? 0, detail);
  }
}

function toRefusal(code: number, detail: string): ProviderOutcome {
  if (UNAUTHORIZED_CODES.has(code)) return { kind: "retry", code: "provider_unauthorized", detail, pause: true };
  return code >= 500
    ? { kind: "final", code: "provider_rejected", detail }
    : { kind: "retry", code: "provider_unavailable", detail };
}
