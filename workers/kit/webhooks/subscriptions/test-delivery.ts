import type { RuleRow } from "../../../../db/kit/webhooks";
import { uuid } from "../../ids";
import { Problem } from "../../problem";
import type { WebhookScope } from "../api";
import type { WebhooksContext } from "../context";
import { classify } from "../dispatch/settlement";
import type { EventCatalog } from "../events/catalog";
import { type EnvelopeCompany, toCanonicalJson } from "../events/envelope";
import { sampleEnvelope } from "../events/event.present";
import { describeOutcome, type Outcome, sendPost } from "../posting/attempt";
import { resolverOf } from "../posting/target";
import { openTarget, webhookPost } from "../posting/webhook-post";

/**
 * Posts a sample event to one subscription, like a first attempt. Stores only the audit entry. Throws 409
 * `rule_disabled`, or 400 `webhook_test_failed` with the outcome.
 */
export async function sendTest(
  context: WebhooksContext,
  catalog: EventCatalog,
  rule: RuleRow,
  company: EnvelopeCompany,
  { auditAction }: Pick<WebhookScope, "auditAction">,
) {
  if (!rule.enabled) throw new Problem("rule_disabled");
  const action = { verb: "rule.tested", companyId: rule.company_id, data: { rule_id: rule.id } } as const;
  if (auditAction) await context.dbOf(rule.company_id).run(await auditAction(action));
  const { service, settings, clock, fetch } = context;
  const now = clock.now();
  const eventId = uuid();
  const keys = await context.keys();
  const target = await openTarget(rule, { service, keys, now, allowPrivate: settings.allowPrivate });
  if (target === null) throw testFailed({ http_status: null, error_code: "secret_unavailable", duration_ms: 0 });
  const body = toCanonicalJson(sampleEnvelope(catalog, rule.event_type, company, { id: eventId, now }));
  const message = { service, eventId, eventType: rule.event_type, body, attempt: 1 };
  const post = await webhookPost(target, message, { now, requestId: null });
  const wire = { fetch, resolve: resolverOf(context), clock, timeoutMs: settings.timeoutMs };
  const outcome = await sendPost(post, wire);
  const status = outcome.kind === "answer" ? outcome.status : null;
  const { code } = classify(outcome, now);
  if (code !== null) throw failedBy(outcome, code);
  return {
    ok: true,
    webhook_id: eventId,
    event_type: rule.event_type,
    http_status: status,
    duration_ms: outcome.durationMs,
  };
}

function failedBy(outcome: Outcome, code: string): Problem {
  return testFailed({
    http_status: outcome.kind === "answer" ? outcome.status : null,
    error_code: code,
    error_message: describeOutcome(outcome),
    duration_ms: outcome.durationMs,
  });
}

function testFailed(result: {
  http_status: number | null;
  error_code: string;
  error_message?: string;
  duration_ms: number;
}): Problem {
  return new Problem("webhook_test_failed", {
    extra: { result: { error_message: "the secret cannot be read", ...result } },
  });
}
