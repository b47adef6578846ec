import { companyQuery } from "../../../schemas/query";
import { ruleEventsSchema } from "../../../schemas/webhooks/catalog";
import { createCalls } from "../http/call";
import { jsonResponse } from "../http/openapi/responses";
import type { Service } from "../http/service";
import { companyWithName } from "./access/company-name";
import { API_PREFIX } from "./access/operations";
import type { WebhookCaller, WebhookEnv, WebhookScopes, WebhooksApi, WebhooksServices } from "./api";
import { mountDeliveries } from "./deliveries/delivery.routes";
import { mountRequeue } from "./deliveries/requeue.routes";
import { mountEventLog } from "./event-log/event-log.routes";
import { presentRuleEvents } from "./events/event.present";
import { mountSigningSecrets } from "./subscriptions/signing-secret.routes";
import { mountRules } from "./subscriptions/subscription.routes";

/** Mounts the webhooks API on a service: event types, subscriptions, deliveries and the event log. */
export function mountWebhooks<S extends WebhooksServices, E extends WebhookEnv<S>>(
  service: Service<E>,
  api: WebhooksApi<S>,
): void {
  const { errors, authorize, impliedErrorCodes } = api;
  const call = createCalls<S, WebhookScopes, WebhookCaller, E>(service, {
    errors,
    authorize,
    impliedErrorCodes,
    bookmarkOf: ({ webhooks }, { company }) => webhooks.dbOf(company.id).bookmark(),
  });
  call(
    {
      method: "get",
      path: `${API_PREFIX}/events`,
      tags: ["Events"],
      summary: "List the event types for webhooks, with sample payloads",
      role: "owner",
      query: companyQuery,
      responses: { 200: jsonResponse(ruleEventsSchema, "The events") },
    },
    async ({ c, services, scope }) =>
      c.json(presentRuleEvents(api.catalog, await companyWithName(api, services, scope, scope.company.id))),
  );
  mountRules(call, api);
  mountRequeue(call);
  mountSigningSecrets(call, api);
  mountDeliveries(call, api);
  mountEventLog(call, api);
}
