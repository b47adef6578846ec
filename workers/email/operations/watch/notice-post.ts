import type { AlertNoticeRow } from "../../../../db/email/rows";
import { ALERT_EVENTS } from "../../../../schemas/email/content/internal-events";
import { iso } from "../../../kit/time";
import { sendPost } from "../../../kit/webhooks/posting/attempt";
import { resolverOf } from "../../../kit/webhooks/posting/target";
import { webhookPost } from "../../../kit/webhooks/posting/webhook-post";
import type { EmailServices } from "../../services";
import { nameOfAlert } from "./alert-texts";

/**
 * Posts a notice to `WATCH_WEBHOOK_URL`, signed and protected like a webhook of a company. Returns null when the receiver responds
 * with 2xx, and when no URL is set any more; otherwise the reason of the failure.
 */
export async function postNotice(services: EmailServices, notice: AlertNoticeRow): Promise<string | null> {
  const { webhooks, settings, clock, fetch, requestId } = services;
  const { webhookUrl: url, webhookSecret: secret } = settings.watch;
  if (url === null || secret === null) return null;
  const { allowPrivate, timeoutMs } = settings.webhooks;
  const body = bodyOf(notice);
  const eventType = ALERT_EVENTS[notice.kind];
  const message = { service: "email", eventId: notice.id, eventType, body, attempt: notice.post_attempts + 1 };
  const post = await webhookPost({ url, secrets: [secret], authorization: null, allowPrivate }, message, {
    now: clock.now(),
    requestId,
  });
  const outcome = await sendPost(post, { fetch, resolve: resolverOf(webhooks), clock, timeoutMs });
  if (outcome.kind === "none") return outcome.code;
  return outcome.status >= 200 && outcome.status < 300 ? null : `http_${outcome.status}`;
}

/** Returns the body. `text` is what chat services such as Slack and Mattermost show. */
function bodyOf({ kind, alerts, created_at }: AlertNoticeRow): string {
  const words = { firing: "Alert", resolved: "Resolved" };
  const lines = alerts.map((alert) => {
    const count = alert.count === null ? "" : `: ${alert.count}`;
    return `${words[kind]}: ${nameOfAlert(alert, "en")} (${alert.service})${kind === "firing" ? count : ""}`;
  });
  const data = alerts.map(({ job, started_at, ended_at, ...alert }) => {
    return { ...alert, job: job === "" ? null : job, started_at: iso(started_at), ended_at: iso(ended_at) };
  });
  return JSON.stringify({
    type: ALERT_EVENTS[kind],
    timestamp: iso(created_at),
    text: lines.join("\n"),
    data: { alerts: data },
  });
}
