import type { WebhooksContext } from "../context";
import type { WebhookSettings } from "../settings";
import type { OutgoingPost } from "./attempt";
import { normalizedHost } from "./target";

/** The origin of posts to the email service through its binding, which uses only the path. */
const BOUND_ORIGIN = "http://email";

type EmailPart = Pick<WebhooksContext, "settings" | "email">;

/** Returns the host name by which posts to the email service are limited; null when posts are turned off. */
export function emailHost(settings: WebhookSettings, binding: WebhooksContext["email"]): string | null {
  const origin = originOf({ settings, email: binding });
  return origin === null ? null : normalizedHost(new URL(origin));
}

function originOf({ settings, email }: EmailPart): string | null {
  if (settings.email.key === "") return null;
  return email ? BOUND_ORIGIN : settings.email.url;
}

/**
 * Returns the post that sends a stored body to the event endpoint of the email service, and the fetch function to send it
 * with. Returns null when posts are turned off. `requestId` is the request that caused the event, or the run.
 */
export function emailPost(
  context: EmailPart & Pick<WebhooksContext, "fetch">,
  body: string,
  requestId: string,
): { post: OutgoingPost; fetch: typeof fetch } | null {
  const { settings, email } = context;
  const origin = originOf(context);
  if (origin === null) return null;
  const headers = {
    Authorization: `Bearer ${settings.email.key}`,
    "Content-Type": "application/json",
    "X-Request-ID": requestId,
  };
  const url = `${origin}/api/v1/events`;
  return {
    post: {
      url,
      headers,
      body,
      hidden: [settings.email.key],
      allowPrivate: email !== null || settings.email.allowPrivate,
    },
    fetch: email ? (input, init) => email.fetch(input, init) : context.fetch,
  };
}
