import { eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { rules, template_versions, templates } from "../../../db/email/schema";
import { clock } from "../../../workers/kit/clock";
import { HOUR_MS } from "../../../workers/kit/time";
import { send, startCompany } from "../../support/email/admin";
import { storeRule, storeRuleFreeTemplate } from "../../support/email/custom-templates";
import { startDelivery } from "../../support/email/delivery";
import { createKey, startEmail } from "../../support/email/email";
import { deleteRows, readRows } from "../../support/email/rows";
import { command, OPERATOR_KEY } from "../../support/email/webhooks";

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
});

const GROUP = "identity.membership.enabled";
const email = await startEmail({ vars: { OPERATOR_KEY } });

const later = (hours: number) => {
  clock.now = () => systemNow() + hours * HOUR_MS;
};
/** Runs the purge twice: the first run deletes versions, and the second run deletes their templates. */
const purge = async () => {
  for (let run = 0; run < 2; run += 1) await command(email, "purge_expired_data", {});
};
const isStored = async (id: number) => [
  (await readRows(templates, eq(templates.id, id))).length,
  (await readRows(template_versions, eq(template_versions.template_id, id))).length,
];

it("purges a deleted custom template with its versions after an hour, unless a message waits for it", async () => {
  const { companyId, owner } = await startCompany(email);
  const { key } = await createKey({ service: "identity", companies: [companyId] });
  const { template, rule } = await storeRule(companyId, { eventType: GROUP });
  const unused = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
  const inUse = await storeRuleFreeTemplate(companyId, { eventType: GROUP });
  const json = {
    company_id: companyId,
    template_key: GROUP,
    to: [{ email: "mina@example.com" }],
    variables: { company_name: "Aster Labs" },
  };
  const response = await email.call("/api/v1/send", { bearer: key, json });
  const { messages } = await response.json<{ messages: { id: string; template_version: number | null }[] }>();
  expect(messages[0]?.template_version).toBe(1);
  await deleteRows(rules, eq(rules.id, rule.id));
  for (const { id } of [template, unused]) {
    expect((await send(email, owner, { method: "DELETE", path: `/api/v1/templates/${id}` })).status).toBe(204);
  }
  await purge();
  expect([await isStored(template.id), await isStored(unused.id)]).toEqual([
    [1, 1],
    [1, 1],
  ]);
  later(2);
  await purge();
  expect([await isStored(template.id), await isStored(unused.id), await isStored(inUse.id)]).toEqual([
    [1, 1],
    [0, 0],
    [1, 1],
  ]);
  await startDelivery({ at: systemNow() }).consumeIds([messages[0]?.id.slice(4) ?? ""], "transactional");
  later(2);
  await purge();
  expect(await isStored(template.id)).toEqual([0, 0]);
});
