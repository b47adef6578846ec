import { clock } from "../../../kit/clock";
import { textToBase64 } from "../../../kit/crypto/encoding";
import { checkPublicHost } from "../../../kit/net/public-address";
import { domainOf, hasNonAscii, normalizeAddress, UnsendableMailError } from "../mime/mail-address";
import { buildMime } from "../mime/mime";
import { filterDetail } from "./detail";
import { SmtpFault } from "./smtp-channel";
import { openSmtpConnection, type SmtpConnection } from "./smtp-client";
import { vendorHeaders } from "./smtp-vendors";
import type { OutgoingMail, ProviderOutcome, SmtpConfig, Transport } from "./types";

/** DATA is not begun with less time than this before the deadline: an unanswered one is repeated once at most. */
const DATA_RESERVE_MS = 5000;
const QUIT_TIMEOUT_MS = 1000;
const UNAUTHORIZED_CODES = new Set([530, 534, 535, 538]);

/**
 * A relay for one group of mails. It connects at the first mail and keeps the connection; mails go one after another,
 * also when `send` is called in parallel. A connection that could not be made is not tried again: every further mail of
 * the session gets the same outcome at once. `send` throws only what `beforeData` throws.
 */
export function openSmtpSession(config: SmtpConfig, resolve: (name: string) => Promise<string[]>): Transport {
  const secrets = [config.password, config.username, textToBase64(config.password)];
  let connection: SmtpConnection | undefined;
  let connectFailure: ProviderOutcome | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let deadline = Number.POSITIVE_INFINITY;
  const limitMs = () => Math.max(1, Math.min(config.timeoutMs, deadline - clock.now()));

  /** A connection, or the outcome of having none. */
  async function findConnection(helloName: string): Promise<SmtpConnection | ProviderOutcome> {
    if (connection) return connection;
    if (connectFailure) return connectFailure;
    try {
      const checked = await checkHost(config, resolve);
      if ("kind" in checked) {
        connectFailure = checked;
        return checked;
      }
      connection = await openSmtpConnection(
        {
          host: checked.host,
          port: config.port,
          security: config.useSsl ? "implicit" : config.useTls ? "starttls" : "none",
          credentials: config.username === "" ? null : { username: config.username, password: config.password },
          helloName,
        },
        limitMs,
      );
      return connection;
    } catch (error) {
      connectFailure = toOutcome(error, secrets);
      return connectFailure;
    }
  }

  async function dropConnection(): Promise<void> {
    const dropped = connection;
    connection = undefined;
    await dropped?.close();
  }

  async function deliver(mail: OutgoingMail, beforeData: () => Promise<boolean>): Promise<ProviderOutcome> {
    const prepared = prepareMail(mail, vendorHeaders(config, mail.messageId));
    if ("kind" in prepared) return prepared;
    for (;;) {
      const isReused = connection !== undefined;
      const found = await findConnection(domainOf(prepared.envelope.from));
      if ("kind" in found) return found;
      let hasAsked = false;
      try {
        const reply = await found.transact(prepared.envelope, prepared.content, async () => {
          if (deadline - clock.now() < Math.min(DATA_RESERVE_MS, config.timeoutMs)) {
            throw new SmtpFault("timeout", "too little time left for DATA");
          }
          hasAsked = true;
          return beforeData();
        });
        if (reply === null) return { kind: "lost" };
        // With the number by which the relay knows the mail, for who asks there.
        const detail = filterDetail(`${reply.code} ${reply.lines.join(" ")}`, secrets);
        return { kind: "accepted", providerMessageId: mail.messageId, detail };
      } catch (error) {
        const isUsable = await resetConnection(found, error);
        if (!isUsable) await dropConnection();
        if (!(error instanceof SmtpFault)) throw error;
        // The server ended an older connection between two mails: one new connection, as nothing was sent yet.
        const isStale = isReused && !hasAsked && (error.kind === "disconnected" || error.code === 421);
        if (!isStale) return toOutcome(error, secrets);
      }
    }
  }

  return {
    send(mail, options) {
      const sent = turn.then(() => {
        deadline = options.deadline ?? Number.POSITIVE_INFINITY;
        return deliver(mail, options.beforeData);
      });
      turn = sent.catch(() => undefined);
      return sent;
    },
    async close() {
      await turn;
      deadline = clock.now() + QUIT_TIMEOUT_MS;
      await connection?.quit();
      connection = undefined;
    },
  };
}

/** Whether the connection can carry another mail after this failure. */
async function resetConnection(connection: SmtpConnection, error: unknown): Promise<boolean> {
  const isAlive = error instanceof SmtpFault && error.code !== 421 && ["refused", "unsupported"].includes(error.kind);
  if (!isAlive) return false;
  try {
    await connection.reset();
    return true;
  } catch (resetError) {
    if (resetError instanceof SmtpFault) return false;
    throw resetError;
  }
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
