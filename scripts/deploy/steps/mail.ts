import type { SendingDomain, Subscription } from "../cloudflare/existing.ts";
import { mailEventsQueue } from "../config.ts";
import { nameIn } from "../names.ts";
import type { DeploymentRecord } from "../record.ts";
import type { Run, Step } from "../run.ts";

/** Returns the domain of an email address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

const events = ["delivered", "deferred", "bounced", "rejected", "complained", "failed"].map(
  (name) => `message.${name}`,
);

/** Returns the name of the subscription of a deployment, which is the name of its queue. */
export const subscriptionOf = ({ name }: DeploymentRecord): string => nameIn(name, mailEventsQueue);

/** Returns whether a subscription reports all events of the sender's domain. A field that the list omits counts as right. */
export function isSubscribed(subscription: Subscription | undefined, { from }: DeploymentRecord): boolean {
  if (subscription === undefined) return false;
  const { enabled = true, source = {}, events: reported = events } = subscription;
  return (
    enabled && (source.domain ?? domainOf(from)) === domainOf(from) && events.every((name) => reported.includes(name))
  );
}

/** Subscribes the queue of the email Worker to the events of the platform's mail. */
async function subscribe({ api, record, existing }: Run): Promise<void> {
  const name = subscriptionOf(record);
  const queue = existing.queues.get(name);
  const former = existing.subscriptions.get(name);
  if (isSubscribed(former, record) || queue === undefined) return;
  const path = `/accounts/${record.account}/event_subscriptions/subscriptions`;
  // The source of a subscription cannot be changed.
  if (former !== undefined) await api.call("DELETE", `${path}/${former.id}`);
  const json = {
    name,
    enabled: true,
    source: { type: "email.sending", zone_id: record.zone.id, domain: domainOf(record.from) },
    events,
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
    const domains = await api.list<SendingDomain>(path);
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
