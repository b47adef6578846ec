import { ruleEventsSchema } from "../../../schemas/webhooks/catalog";
import { jsonResponse } from "../http/openapi/responses";
import type { ActionsApi, ActionsApp, ActionsServices } from "./api";
import { mountDeliveries } from "./deliveries/delivery.routes";
import { mountEventLog } from "./event-log/event-log.routes";
import { companyQuery, operationsOf, prefix } from "./operations";
import { presentRuleEvents } from "./present";
import { mountRules } from "./subscriptions/subscription.routes";

/** Mounts Actions of a service: events, rules, deliveries, event log (details of Document 3, 4.9). */
export function mountActions<S extends ActionsServices>(app: ActionsApp<S>, api: ActionsApi<S>): void {
  const { common, reads } = operationsOf(api, "Events");
  app.route(
    {
      ...common,
      method: "get",
      path: `${prefix}/events`,
      summary: "Events that rules may name, with a sample of what they send",
      request: { query: companyQuery },
      responses: { 200: jsonResponse(ruleEventsSchema, "The events"), ...reads(["not_found"]) },
    },
    async (c) => {
      const { company } = await api.admit(c.get("services"), c.req.raw);
      return c.json(presentRuleEvents(api.catalog, company));
    },
  );
  mountRules(app, api);
  mountDeliveries(app, api);
  mountEventLog(app, api);
}
