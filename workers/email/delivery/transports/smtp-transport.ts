import type { Credentials, SmtpConfig, TransportDefinition, TransportSettings } from "../providers/types";
import { openSmtpSession } from "../smtp/smtp";
import { isVendor, parseRelayCredentials, readRelayCredentials } from "../smtp/smtp-credentials";

/** Maximum number of connections from one claim to one relay. Many relays limit the connections per client address. */
const MAX_CONNECTIONS = 3;
/** For fewer mails than this, the handshake of another connection takes more time than the connection saves. */
const MIN_MAILS_PER_CONNECTION = 4;

/** The SMTP transport. Settings configure the relay of the platform. Companies may use their own if a setting allows it. */
export const smtpTransport: TransportDefinition = {
  name: "smtp",
  secretField: "password",
  identityFields: ["host", "port", "username", "password"],
  sendsBulk: true,
  hasStandardWebhooks: false,

  refuseCompanies: ({ allowCompanySmtp }) =>
    allowCompanySmtp ? null : { code: "company_smtp_disabled", setting: "EMAIL_ALLOW_COMPANY_SMTP" },

  validate: readRelayCredentials,
  parse: parseRelayCredentials,

  platformCredentials({ relay, relayVendor }) {
    if (relay.host === "") return null;
    const { host, port, username, password, useTls: use_tls, useSsl: use_ssl } = relay;
    return {
      host,
      port,
      username,
      password,
      use_tls,
      use_ssl,
      ...(isVendor(relayVendor) ? { vendor: relayVendor } : {}),
    };
  },

  configure(credentials, scope, settings) {
    const config = toConfig(credentials, scope, settings);
    return {
      timeoutMs: config.timeoutMs,
      parallel: (mails) => Math.min(MAX_CONNECTIONS, Math.ceil(mails / MIN_MAILS_PER_CONNECTION)),
      open: ({ resolve }) => openSmtpSession(config, resolve, MAX_CONNECTIONS),
    };
  },
};

function toConfig(
  { host, port, username, password, use_tls, use_ssl, vendor }: Credentials,
  scope: "company" | "platform",
  { smtpTimeoutMs }: TransportSettings,
): SmtpConfig {
  return {
    host: String(host),
    port: Number(port),
    username: String(username),
    password: String(password),
    useTls: use_tls === true,
    useSsl: use_ssl === true,
    timeoutMs: smtpTimeoutMs,
    // The operator configures the platform relay, so its host may be private.
    checkPublicHost: scope === "company",
    vendor: isVendor(vendor) ? vendor : "auto",
  };
}
