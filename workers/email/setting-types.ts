import { COMPANY_TRANSPORT_NAMES } from "../../schemas/email/delivery/transports";
import { baseUrl, integer, listOf, type Rate, schemaOf } from "../kit/settings/setting-types";
import type { SettingType } from "../kit/settings/settings";
import { HOUR_MS } from "../kit/time";

/** The loopback hosts in the format of a host list. */
export const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/** A comma-separated list of hosts, converted to lower case. Without debug, loopback hosts are removed. */
export const linkHosts: SettingType<string[]> = ({ debug }) =>
  schemaOf(
    "a comma-separated list of hosts with an optional :port, without wildcards",
    (input) => {
      const entries = input.toLowerCase().split(",");
      const hosts = entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
      if (!hosts.every((host) => hostPattern.test(host))) return undefined;
      return debug ? hosts : hosts.filter((host) => !isLoopbackEntry(host));
    },
    "a comma-separated list of hosts",
  );

const hostPattern = /^(?:[a-z0-9.-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?|[0-9a-f:]+)$/;

function isLoopbackEntry(entry: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(entry) || entry === "::1";
}

const FALLBACK_PROVIDERS = [...COMPANY_TRANSPORT_NAMES, "none"] as const;

/** The provider of the platform sender. It is "" when only EMAIL_PLATFORM_TRANSPORT chooses the transport. */
export const fallbackProvider: SettingType<"" | (typeof FALLBACK_PROVIDERS)[number]> = () =>
  schemaOf(FALLBACK_PROVIDERS.join(", "), (input) =>
    input === "" ? input : FALLBACK_PROVIDERS.find((candidate) => candidate === input),
  );

/** The base URL of the mail API. It must use https; with debug, http on loopback is allowed too. */
export const mailApiUrl: SettingType<string> = (mode) => {
  const allowed = mode.debug ? "an https URL, or http on loopback, without trailing slash" : "an https URL";
  const isSafe = (text: string) => {
    const { protocol, hostname } = new URL(text);
    return protocol === "https:" || LOOPBACK.includes(hostname.replace(/^\[|\]$/g, ""));
  };
  return baseUrl(mode).refine(isSafe, allowed).describe(allowed);
};

/** One mail address without a display name. */
export const mailAddress: SettingType<string> = () =>
  schemaOf("one bare mail address", (input) =>
    /^[^\s<>@,;"]{1,64}@[^\s<>@,;"]{1,189}$/.test(input) ? input : undefined,
  );

/** A comma-separated list of company ids. */
export const companyIds: SettingType<ReadonlySet<number>> = (mode) => {
  const ids = listOf(integer(1, Number.MAX_SAFE_INTEGER))(mode);
  return ids.transform((entries) => new Set(entries)).describe("a comma-separated list of company ids");
};

/** A limit per hour. 0 disables the limit. */
export const perHour: SettingType<Rate> = (mode) => {
  const limits = integer(0, 1_000_000)(mode);
  return limits.transform((limit) => ({ limit, windowMs: HOUR_MS })).describe(limits.description ?? "");
};
