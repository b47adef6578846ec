import type { WebhooksContext } from "../context";
import type { WebhookSettings } from "../settings";
import type { OutgoingPost } from "./attempt";
import { normalizedHost } from "./target";

/** Origin of posts to the bound email service; the binding only uses the path. */
const BOUND_ORIGIN = "http://email";

type EmailPart = Pick<WebhooksContext, "settings" | "email">;

/** Returns the host under which posts to the email service are counted; null when they are turned off. */
export function emailHost(settings: WebhookSettings, binding: WebhooksContext["email"]): string | null {
  const origin = originOf({ settings, email: binding });
  return origin === null ? null : normalizedHost(new URL(origin));
}

function originOf({ settings, email }: EmailPart): string | null {
  if (settings.email.key === "") return null;
  return email ? BOUND_ORIGIN : settings.email.url;
}

/**
 * Returns the post of a stored body to the event endpoint of the email service, and the fetch to send it with; null
 * when posts are turned off. `requestId` is that of the cause, or of the run.
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
