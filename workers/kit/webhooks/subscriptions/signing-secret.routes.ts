import { rotateBody, ruleWithSecretSchema, testAnswer } from "../../../../schemas/webhooks/subscriptions";
import { jsonResponse } from "../../http/openapi/responses";
import { limitTest } from "../access/access";
import { companyWithName } from "../access/company-name";
import type { WebhookCall, WebhookEnv, WebhooksApi, WebhooksServices } from "../api";
import { rotateRuleSecret } from "./subscription";
import { presentRule } from "./subscription.present";
import { readRotation } from "./subscription-input";
import { common, ofRule, permitChange, rulesPath } from "./subscription-operations";
import { sendTest } from "./test-delivery";

/** Mounts the endpoints that rotate a subscription's secret and send a test delivery. */
export function mountSigningSecrets<S extends WebhooksServices, E extends WebhookEnv<S>>(
  call: WebhookCall<S, E>,
  api: WebhooksApi<S>,
): void {
  call(
    {
      ...common,
      ...ofRule,
      method: "post",
      path: `${rulesPath}/{id}/rotate-secret`,
      summary: "Rotate the secret; with an overlap the old one also signs until it expires",
      permit: permitChange,
      body: { schema: rotateBody, optional: true, read: readRotation },
      responses: { 200: jsonResponse(ruleWithSecretSchema, "The rule") },
      errorCodes: ["conflict"],
    },
    async ({ c, services: { webhooks }, scope, row, body }) => {
      const { row: rotated, secret } = await rotateRuleSecret(webhooks, scope, row, body);
      return c.json({ ...presentRule(rotated, webhooks.clock.now()), secret });
    },
  );
  call(
    {
      ...common,
      ...ofRule,
      method: "post",
      path: `${rulesPath}/{id}/send-test`,
      summary: "Send a sample to the URL of the webhook",
      companyInBody: true,
      permit: permitChange,
      responses: { 200: jsonResponse(testAnswer, "The target accepted it") },
      errorCodes: ["rule_disabled", "webhook_test_failed"],
    },
    async ({ c, services, scope, row }) => {
      await limitTest(services, row.company_id);
      const company = await companyWithName(api, services, scope, row.company_id);
      return c.json(await sendTest(services.webhooks, api.catalog, row, company, scope));
    },
  );
}
