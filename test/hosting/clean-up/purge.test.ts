import { afterEach, expect, it } from "vitest";
import { hosting_apps } from "../../../db/hosting/schema";
import { requestCleanup } from "../../../workers/hosting/files/clean-up-request.store";
import type { StepMessage } from "../../../workers/hosting/step-message";
import { clock } from "../../../workers/kit/clock";
import { openDb } from "../../../workers/kit/db/db";
import { uuid } from "../../../workers/kit/ids";
import { DAY_MS, HOUR_MS } from "../../../workers/kit/time";
import { startHosting, testEnv } from "../../support/hosting/hosting";
import { restoreClock } from "../../support/restore";
import { freshCompany } from "../../support/sibling/sibling";
import { insertRows } from "../../support/webhooks/rows";

afterEach(restoreClock);

it("requests the due clean-ups with each purge run, and those of previews that expired a day ago", async () => {
  const [due, later, preview, recentPreview] = [freshCompany(), freshCompany(), freshCompany(), freshCompany()];
  const db = openDb(testEnv.DB);
  const now = clock.now();
  await db.run(requestCleanup({ companyId: due, dueAt: now, now }));
  await db.run(requestCleanup({ companyId: later, dueAt: now + HOUR_MS, now }));
  const app = { name: "app", display_name: "App", owner_id: 1, created_at: now, updated_at: now };
  await insertRows(hosting_apps, [
    { ...app, id: uuid(), slug: uuid(), company_id: preview, expires_at: now - DAY_MS - 1000 },
    { ...app, id: uuid(), slug: uuid(), company_id: recentPreview, expires_at: now - HOUR_MS },
  ]);
  const requested: StepMessage[] = [];
  const queue = {
    sendBatch: async (messages: MessageSendRequest<StepMessage>[]) =>
      void requested.push(...messages.map(({ body }) => body)),
  };
  const hosting = await startHosting({ vars: { SERVICE_QUEUE: queue as never } });
  await hosting.runCron("17 * * * *");
  const companies = requested.filter(({ kind }) => kind === "clean_up").map(({ company_id }) => company_id);
  expect(companies).toEqual(expect.arrayContaining([due, preview]));
  expect(companies).not.toEqual(expect.arrayContaining([later]));
  expect(companies).not.toEqual(expect.arrayContaining([recentPreview]));
});
