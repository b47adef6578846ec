import {
  COMPANY_TRANSPORT_NAMES,
  type CompanyTransportName,
  SMTP_VENDORS,
  TRANSPORT_NAMES,
  type TransportName,
} from "../../../schemas/email/delivery/transports";
import { choice, flag, integer, text } from "../../kit/settings/setting-types";
import { required, type SettingsTable, sameAs } from "../../kit/settings/settings";
import { companyIds, fallbackProvider, mailAddress, mailApiUrl } from "../setting-types";

/** The setting that enables a transport for the platform sender. */
const PLATFORM_SETTINGS: Readonly<Record<CompanyTransportName, string>> = {
  api: "PROVIDER_API_KEY",
  smtp: "EMAIL_HOST",
};

/** The settings of the platform sender, and of the companies that may use it. */
export const senderTable = {
  fallbackProvider: {
    name: "EMAIL_FALLBACK_PROVIDER",
    type: fallbackProvider,
    default: {
      shown:
        "empty with `EMAIL_PLATFORM_TRANSPORT`, else `api` with `PROVIDER_API_KEY`, else `smtp` with `EMAIL_HOST`, else `none`",
      text: (textOf) => {
        if (textOf("EMAIL_PLATFORM_TRANSPORT") !== "") return "";
        return COMPANY_TRANSPORT_NAMES.find((name) => textOf(PLATFORM_SETTINGS[name]) !== "") ?? "none";
      },
    },
    meaning: "Provider of the platform sender: HTTP mail API, SMTP relay or none; `none` turns the platform sender off",
  },
  platformTransport: {
    name: "EMAIL_PLATFORM_TRANSPORT",
    type: choice(...TRANSPORT_NAMES),
    meaning:
      "Transport of the platform sender, in place of `EMAIL_FALLBACK_PROVIDER`: HTTP mail API, SMTP relay or Cloudflare's Email Service, which needs the binding `SEND_EMAIL` and sends no bulk mail",
  },
  platformApi: {
    apiKey: { name: "PROVIDER_API_KEY", type: text, default: "", secret: "given", meaning: "Key of the HTTP mail API" },
    /** null without an HTTP mail API; the key is then empty too */
    baseUrl: {
      name: "PROVIDER_API_URL",
      type: mailApiUrl,
      meaning: "Base URL of the HTTP mail API, required with `PROVIDER_API_KEY`",
    },
  },
  providerWebhookSecret: {
    name: "PROVIDER_WEBHOOK_SECRET",
    type: text,
    default: "",
    secret: "given",
    meaning: "Secret with which the platform's provider signs its webhooks; without it they are rejected",
  },
  relay: {
    host: { name: "EMAIL_HOST", type: text, default: "", meaning: "Host of the SMTP relay" },
    port: { name: "EMAIL_PORT", type: integer(1, 65_535), default: "587", meaning: "Port of the SMTP relay" },
    username: {
      name: "EMAIL_HOST_USER",
      type: text,
      default: "",
      meaning: "User name at the SMTP relay; none: no authentication",
    },
    password: {
      name: "EMAIL_HOST_PASSWORD",
      type: text,
      default: "",
      secret: "given",
      meaning: "Password at the SMTP relay",
    },
    useTls: { name: "EMAIL_USE_TLS", type: flag, default: "true", meaning: "Use STARTTLS" },
    useSsl: {
      name: "EMAIL_USE_SSL",
      type: flag,
      default: "false",
      meaning: "Use TLS from the start of the connection",
    },
  },
  relayVendor: {
    name: "EMAIL_HOST_VENDOR",
    type: choice("auto", "none", ...SMTP_VENDORS),
    default: "auto",
    meaning:
      "Vendor of the relay, which decides the headers that identify a message in its webhooks; `auto` derives it from the host",
  },
  defaultFrom: {
    name: { name: "DEFAULT_FROM_NAME", type: text, default: "Platform", meaning: "From name of the platform sender" },
    address: {
      name: "DEFAULT_FROM_EMAIL",
      type: mailAddress,
      default: required,
      meaning: "From address of the platform sender",
    },
  },
  bulkFrom: {
    name: { name: "BULK_FROM_NAME", type: text, default: "Platform", meaning: "From name of bulk mail" },
    address: {
      name: "BULK_FROM_EMAIL",
      type: mailAddress,
      default: sameAs("DEFAULT_FROM_EMAIL"),
      meaning: "From address of bulk mail",
    },
  },
  allowCompanySmtp: {
    name: "EMAIL_ALLOW_COMPANY_SMTP",
    type: flag,
    default: "false",
    meaning: "Allow companies to use their own SMTP server",
  },
  platformCompanyIds: {
    name: "EMAIL_PLATFORM_COMPANY_IDS",
    type: companyIds,
    default: "",
    meaning: "Companies that may use the platform sender for all mail",
  },
} as const satisfies SettingsTable;

/** Returns the transport of the platform sender. An explicit `EMAIL_FALLBACK_PROVIDER=none` turns the sender off. */
export function findPlatformTransport(settings: {
  fallbackProvider: "" | CompanyTransportName | "none";
  platformTransport: TransportName | null;
}): TransportName | "none" {
  const { fallbackProvider: fallback, platformTransport: chosen } = settings;
  if (fallback === "none") return "none";
  return chosen ?? (fallback === "" ? "none" : fallback);
}
