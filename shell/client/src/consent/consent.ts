import type { ShellConfig } from "../../../../schemas/shell/config.ts";
import type { PageConfig } from "../../../../schemas/shell/page.ts";
import { createStore, type Readable } from "../store.ts";

export type Cookie = NonNullable<ShellConfig["cookieConsent"]>["cookies"][number];

/** What was decided, `platform:consent`: when, about which hosts, and which of them are welcome. */
export type ConsentRecord = { v: 1; time: string; decided: string[]; accepted: string[] };

export type Consent = Readable<ConsentRecord | null> & {
  /** Keeps a decision about all hosts of the configuration. */
  decide: (cookies: readonly Cookie[], accepted: readonly string[]) => void;
};

const key = "platform:consent";

/** Cookies that need a decision: all but the necessary ones. */
export const optionalCookies = ({ cookieConsent }: Pick<PageConfig, "cookieConsent">): Cookie[] =>
  (cookieConsent?.cookies ?? []).filter(({ category }) => category !== "strict_necessary");

/** Whether the question is open: a host stands in the configuration that nothing was decided about. */
export function needsDecision(config: Pick<PageConfig, "cookieConsent">, record: ConsentRecord | null): boolean {
  return optionalCookies(config).some(({ host }) => !record?.decided.includes(host));
}

/** Hosts that may set cookies now, and those of them that were decided on. Without `cookieConsent` nothing is asked. */
export function consentedHosts(config: Pick<PageConfig, "cookieConsent">, record: ConsentRecord | null) {
  const all = config.cookieConsent?.cookies ?? [];
  const accepted = all.filter(
    ({ category, host }) => category === "strict_necessary" || record?.accepted.includes(host),
  );
  const hosts = [...new Set(accepted.map(({ host }) => host))];
  return { acceptedHosts: hosts, consentedHosts: hosts.filter((host) => record?.decided.includes(host)) };
}

/** Whether a host is welcome. Every one is, where nothing is asked; one that is not in the configuration is not. */
export function isAccepted(
  config: Pick<PageConfig, "cookieConsent">,
  record: ConsentRecord | null,
  host: string,
): boolean {
  return config.cookieConsent === undefined || consentedHosts(config, record).acceptedHosts.includes(host);
}

/** A record of a stored text; what cannot be read was never decided. */
export function parseConsent(text: string | null): ConsentRecord | null {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    const isList = (list: unknown): list is string[] =>
      Array.isArray(list) && list.every((one) => typeof one === "string");
    if (typeof value !== "object" || value === null || !("v" in value) || value.v !== 1) return null;
    const { time, decided, accepted } = value as Partial<ConsentRecord>;
    return typeof time === "string" && isList(decided) && isList(accepted) ? { v: 1, time, decided, accepted } : null;
  } catch {
    return null;
  }
}

/** The decision of this browser; other tabs follow. */
export function createConsent(): Consent {
  const record = createStore<ConsentRecord | null>(null);
  try {
    record.set(parseConsent(localStorage.getItem(key)));
  } catch {
    // No storage: the question is asked anew in each page.
  }
  addEventListener("storage", (event) => {
    if (event.key === key || event.key === null) record.set(parseConsent(event.newValue));
  });
  return {
    get: record.get,
    subscribe: record.subscribe,
    decide(cookies, accepted) {
      const decided = [...new Set(cookies.map(({ host }) => host))];
      record.set({
        v: 1,
        time: new Date().toISOString(),
        decided,
        accepted: decided.filter((host) => accepted.includes(host)),
      });
      try {
        localStorage.setItem(key, JSON.stringify(record.get()));
      } catch {
        // It holds until the page is left.
      }
    },
  };
}
