import type { ShellConfig } from "../../../../schemas/shell/config.ts";
import type { PageConfig } from "../../../../schemas/shell/page.ts";
import { createStore, type Readable } from "../store.ts";

export type Cookie = NonNullable<ShellConfig["cookieConsent"]>["cookies"][number];

/** A stored decision (`platform:consent`): its time, the hosts it covers, and the accepted hosts. */
export type ConsentRecord = { v: 1; time: string; decided: string[]; accepted: string[] };

export type Consent = Readable<ConsentRecord | null> & {
  /** Stores a decision about the hosts of `cookies`. `accepted` contains the hosts that the user accepted. */
  decide: (cookies: readonly Cookie[], accepted: readonly string[]) => void;
};

const key = "platform:consent";

/** Returns the cookies that need a decision: all except necessary cookies. */
export const optionalCookies = ({ cookieConsent }: Pick<PageConfig, "cookieConsent">): Cookie[] =>
  (cookieConsent?.cookies ?? []).filter(({ category }) => category !== "strict_necessary");

/**
 * Returns whether to ask for consent. This is true if a cookie that needs a decision has a host that the record does not cover.
 */
export function needsDecision(config: Pick<PageConfig, "cookieConsent">, record: ConsentRecord | null): boolean {
  return optionalCookies(config).some(({ host }) => !record?.decided.includes(host));
}

/**
 * Returns the hosts that may set cookies (`acceptedHosts`), and those of them that the user's decision covers
 * (`consentedHosts`). Both lists are empty without `cookieConsent`.
 */
export function consentedHosts(config: Pick<PageConfig, "cookieConsent">, record: ConsentRecord | null) {
  const all = config.cookieConsent?.cookies ?? [];
  const accepted = all.filter(
    ({ category, host }) => category === "strict_necessary" || record?.accepted.includes(host),
  );
  const hosts = [...new Set(accepted.map(({ host }) => host))];
  return { acceptedHosts: hosts, consentedHosts: hosts.filter((host) => record?.decided.includes(host)) };
}

/**
 * Returns whether a host may set cookies. Without `cookieConsent` in the configuration, every host may set cookies. With
 * `cookieConsent`, a host that is not listed may not.
 */
export function isAccepted(
  config: Pick<PageConfig, "cookieConsent">,
  record: ConsentRecord | null,
  host: string,
): boolean {
  return config.cookieConsent === undefined || consentedHosts(config, record).acceptedHosts.includes(host);
}

/** Parses a stored record. Returns null when it is invalid. */
export function parseConsent(text: string | null): ConsentRecord | null {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    const isList = (list: unknown): list is string[] =>
      Array.isArray(list) && list.every((entry) => typeof entry === "string");
    if (typeof value !== "object" || value === null || !("v" in value) || value.v !== 1) return null;
    const { time, decided, accepted } = value as Partial<ConsentRecord>;
    return typeof time === "string" && isList(decided) && isList(accepted) ? { v: 1, time, decided, accepted } : null;
  } catch {
    return null;
  }
}

/** Returns a store with the decision of this browser. A decision in another tab updates the store. */
export function createConsent(): Consent {
  const record = createStore<ConsentRecord | null>(null);
  try {
    record.set(parseConsent(localStorage.getItem(key)));
  } catch {
    // Without storage, each page asks again.
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
        // Without storage, the decision lasts until the page is closed.
      }
    },
  };
}
