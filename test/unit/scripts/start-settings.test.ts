import { expect, it } from "vitest";
import { changeableSettings } from "../../../scripts/support/dev-settings";
import { services } from "../../../scripts/support/services";

it.each(services)("lets webhooks of %s go to receivers on this machine in development", (service) => {
  expect(changeableSettings[service]).toMatchObject({ DEBUG: "true", ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true" });
});
