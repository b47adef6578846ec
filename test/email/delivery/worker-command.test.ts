import { expect, it } from "vitest";
import { problemOf } from "../../support/email/admin";
import { createCompany } from "../../support/email/delivery";
import { startEmail } from "../../support/email/email";
import { readMessage, storeMessage } from "../../support/email/messages";
import { command, OPERATOR_KEY } from "../../support/email/webhooks";

const email = await startEmail({ vars: { OPERATOR_KEY } });

it("attempts only the due messages of its lane, and none in a second run", async () => {
  const company = createCompany();
  const auth = await storeMessage(company);
  const later = await storeMessage(company, { next_attempt_at: Date.now() + 60_000 });
  const other = await storeMessage(company, { lane: "transactional" });
  const end = await command(email, "run_email_worker", { lane: "auth" });
  const { attempt_count } = await readMessage(auth);
  expect(attempt_count).toBe(1);
  expect((await readMessage(later)).status).toBe("queued");
  expect((await readMessage(other)).status).toBe("queued");
  expect(end).toMatchObject({
    type: "result",
    line: expect.stringMatching(/^run_email_worker: sent=\d+ retried=\d+ failed=\d+$/),
  });
  await command(email, "run_email_worker", { lane: "auth", once: true });
  expect((await readMessage(auth)).attempt_count).toBe(1);
  await command(email, "run_email_worker", { once: true, max_seconds: 5 });
  expect((await readMessage(other)).attempt_count).toBeGreaterThan(0);
});

it("rejects the worker command for an unknown lane with the name of the flag", async () => {
  const response = await email.call("/api/v1/management/run_email_worker", {
    bearer: OPERATOR_KEY,
    json: { flags: { lane: "fast" } },
  });
  expect(await problemOf(response)).toEqual([400, "validation_failed", { "flags.lane": ["invalid"] }]);
});
