import { expect, it } from "vitest";
import { isFromQueue } from "../../../../workers/kit/outbox/consumer";

const isFrom = (queue: string, name: string) => isFromQueue({ queue } as MessageBatch<unknown>, name);

it("recognizes the queues of deployments with and without a name", () => {
  expect(isFrom("email-auth", "email-auth")).toBe(true);
  expect(isFrom("platform-staging-email-auth", "email-auth")).toBe(true);
  expect(isFrom("platform-staging-eu-webhooks-email", "webhooks-email")).toBe(true);
  expect(isFrom("platform-staging-email-auth", "email-bulk")).toBe(false);
  expect(isFrom("platform-email-email-service", "webhooks-email")).toBe(false);
  expect(isFrom("xemail-auth", "email-auth")).toBe(false);
});
