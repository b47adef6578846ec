import type { SendingDomain } from "../cloudflare/existing.ts";
import { mailEventsQueue } from "../config.ts";
import { nameIn } from "../names.ts";
import type { DeploymentRecord } from "../record.ts";
import type { Run, Step } from "../run.ts";

/** Returns the domain of an email address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

const events = ["delivered", "deferred", "bounced", "rejected", "complained", "failed"];

/** Returns the name of the subscription of a deployment, which is the name of its queue. */
export const subscriptionOf = ({ name }: DeploymentRecord): string => nameIn(name, mailEventsQueue);

/** Subscribes the queue of the email Worker to the events of the platform's mail. */
async function subscribe({ api, record, existing }: Run): Promise<void> {
  const name = subscriptionOf(record);
  const queue = existing.queues.get(name);
  if (existing.subscriptions.has(name) || queue === undefined) return;
  const path = `/accounts/${record.account}/event_subscriptions/subscriptions`;
  const json = {
    name,
    enabled: true,
    source: { type: "email.sending", zone_id: record.zone.id, domain: domainOf(record.from) },
    events: events.map((event) => `message.${event}`),
    destination: { type: "queues.queue", queue_id: queue.id },
  };
  try {
    await api.call("POST", path, { json });
  } catch (error) {
    // The response of an earlier attempt may have been lost.
    const subscriptions = await api.list<{ name: string }>(path);
    if (!subscriptions.some((subscription) => subscription.name === name)) throw error;
  }
}

/** Lets Cloudflare's Email Service send for the domain of the sender. Cloudflare adds the DNS records of the domain. */
async function enable({ api, record, existing }: Run): Promise<void> {
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
}

/** Enables the domain of the sender in Cloudflare's Email Service, if it sends the platform's mail. */
export const enableSending: Step = {
  title: "sender domain",
  run: async (run) => {
    if (run.record.mail !== "cloudflare") return;
    await enable(run);
    await subscribe(run);
  },
};
