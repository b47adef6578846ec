import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { requeueAnswer, requeueBody } from "../../../../schemas/webhooks/subscriptions";
import { jsonResponse } from "../../http/openapi/responses";
import { encodeCursor } from "../../http/paging/cursor";
import { readPage } from "../../http/paging/page";
import { parse } from "../../http/request/parse";
import { DAY_MS } from "../../time";
import type { WebhookCall, WebhookEnv, WebhooksServices } from "../api";
import { common, ofRule, permitChange, rulesPath } from "../subscriptions/subscription-operations";
import { requeueAll } from "./delivery";

const WEEK_MS = 7 * DAY_MS;
const lastScannedEvent = lazySchema(() => z.tuple([z.guid()]).transform(([id]) => id));

/** Mounts `POST /api/v1/actions/rules/{id}/requeue`, which sends deliveries of a subscription again. */
export function mountRequeue<S extends WebhooksServices, E extends WebhookEnv<S>>(call: WebhookCall<S, E>): void {
  call(
    {
      ...common,
      ...ofRule,
      method: "post",
      path: `${rulesPath}/{id}/requeue`,
      summary: "Requeue deliveries of the webhook, at most 20,000 per request, or events without a delivery",
      permit: permitChange,
      body: { schema: requeueBody, optional: true, read: (raw) => parse(requeueBody, raw) },
      responses: { 200: jsonResponse(requeueAnswer, "The number of requeued deliveries") },
    },
    async ({ c, services: { webhooks }, scope, row, body }) => {
      const { status, since = webhooks.clock.now() - WEEK_MS, until = Number.MAX_SAFE_INTEGER, dry_run, cursor } = body;
      const after = cursor === undefined ? null : readPage({ cursor }, lastScannedEvent).after;
      const chosen = { status, since, until, dryRun: dry_run, after };
      const { next, ...answer } = await requeueAll(webhooks, row, chosen, scope);
      if (next === undefined) return c.json(answer);
      return c.json({ ...answer, next_cursor: next === null ? null : encodeCursor([next]) });
    },
  );
}
