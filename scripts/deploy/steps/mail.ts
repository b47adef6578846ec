import type { SendingDomain } from "../cloudflare/existing.ts";
import type { Step } from "../run.ts";

/** Returns the domain of an email address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/** Lets Cloudflare's Email Service send for the domain of the sender. Cloudflare adds the DNS records of the domain. */
export const enableSending: Step = {
  title: "sender domain",
  run: async ({ api, record, existing }) => {
    if (record.mail !== "cloudflare") return;
    const name = domainOf(record.from);
    if (existing.sendingDomains.some((domain) => domain.name === name)) return;
    const path = `/zones/${record.zone.id}/email/sending/subdomains`;
    try {
      await api.call("POST", path, { json: { name } });
    } catch (error) {
      // The response of an earlier attempt may have been lost.
      const domains = await api.call<SendingDomain[]>("GET", path);
      if (!domains.some((domain) => domain.name === name)) throw error;
    }
  },
};
