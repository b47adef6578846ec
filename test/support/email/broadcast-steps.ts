import { eq } from "drizzle-orm";
import type { BroadcastRow } from "../../../db/email/rows";
import { broadcast_recipients, broadcasts, messages, template_versions, templates } from "../../../db/email/schema";
import type { AudienceMember } from "../../../schemas/rpc";
import { sealAudience, sealBearer } from "../../../workers/email/audience/recipients/seal";
import { runStep } from "../../../workers/email/audience/recipients/step";
import { deliverNow } from "../../../workers/email/delivery/attempts/delivery";
import type { EmailServices } from "../../../workers/email/services";
import type { EmailSettings } from "../../../workers/email/settings";
import { MINUTE_MS } from "../../../workers/kit/time";
import { createIdentityDouble } from "../identity/identity-double";
import { storeBroadcast } from "./broadcasts";
import { createCompany, startDelivery, testKeys } from "./delivery";
import { everyMember } from "./draft-broadcasts";
import { insertRow, readRows, updateRows } from "./rows";

/** Returns the user of a company's audience with this id. */
export const audienceMember = (id: number): AudienceMember => ({
  id,
  email: `user-${id}@aster.example`,
  first_name: `First ${id}`,
  last_name: "Laurent",
  language: id % 2 === 0 ? "fr" : null,
});

export const members = (count: number) => Array.from({ length: count }, (_, index) => audienceMember(index + 1));

/** The broadcasts of a company, whose steps the test runs. */
export type Broadcasts = Awaited<ReturnType<typeof startBroadcasts>>;

/**
 * Starts delivery and identity with a company that may use the platform sender. `users` is the audience of identity; user 1
 * sends broadcasts.
 */
export async function startBroadcasts(options: { users?: number; settings?: Partial<EmailSettings> } = {}) {
  const companyId = createCompany();
  const { users = 5 } = options;
  const harness = startDelivery({
    settings: {
      platformCompanyIds: new Set([companyId]),
      bulkRates: { company: 0, sender: 0 },
      ...options.settings,
    },
  });
  const identity = await createIdentityDouble();
  identity.setAudience(companyId, members(users));
  const bearer = await identity.token({ companyId, isOwner: true, userId: 1 });
  const rung: { id: number; delaySeconds: number }[] = [];
  const steps: EmailServices["steps"] = {
    sendBatch: async (batch) => {
      for (const { body, delaySeconds = 0 } of batch) rung.push({ id: Number(body.ids[0]), delaySeconds });
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    },
  };
  const { IDENTITY, IDENTITY_RPC } = identity.bindings;
  const build = (overrides: Partial<EmailServices> = {}) => {
    const base = harness.build();
    return harness.build({
      steps,
      identity: { ...base.identity, rpc: IDENTITY_RPC, fetch: IDENTITY },
      ...overrides,
    });
  };

  /** Stores a broadcast with its published template, by default one that was sent now by user 1 with their token. */
  async function store(overrides: Partial<typeof broadcasts.$inferInsert> = {}): Promise<number> {
    const { audience = everyMember, ...columns } = overrides;
    const key = `company.${crypto.randomUUID().slice(0, 12)}`;
    const now = harness.now();
    const template = await insertRow(templates, {
      template_key: key,
      kind: "broadcast",
      company_id: companyId,
      event_type: "broadcast",
      name: "News",
      language: "en",
      source_key: "studio.announcement",
      set_key: "studio",
      active_version: 1,
      created_at: now,
    });
    const version = await insertRow(template_versions, {
      template_id: template.id,
      number: 1,
      state: "published",
      subject: "News for {{ first_name }}",
      preheader: "",
      document: "{}",
      html: '<html><body>{{ company_name }} {{ last_name }} <a href="{{ system.unsubscribe_url }}">Stop</a></body></html>',
      text: "{{ company_name }} {{ recipient_email }} {{ system.unsubscribe_url }}",
      renderer_version: 1,
      checksum: crypto.randomUUID(),
      created_at: now,
    });
    const sealId = crypto.randomUUID();
    const keys = await testKeys();
    const { id } = await storeBroadcast(companyId, {
      state: "queued",
      template_id: template.id,
      template_key: key,
      version_id: version.id,
      template_version: 1,
      ...(await sealAudience(harness.build(), audience, { companyId, sealId })),
      seal_id: sealId,
      granted_by: 1,
      bearer_enc: await sealBearer(bearer, { companyId, sealId }, keys),
      bearer_expires_at: now + 5 * MINUTE_MS,
      next_step_at: now,
      created_at: now,
      updated_at: now,
      ...columns,
    });
    return id;
  }

  const row = async (id: number): Promise<BroadcastRow> => {
    const [found] = await readRows(broadcasts, eq(broadcasts.id, id));
    if (found === undefined) throw new Error("the broadcast is missing");
    return found;
  };
  const step = (id: number, services = build()) => runStep(services, { id, company_id: companyId });
  const messagesOf = (id: number) => readRows(messages, eq(messages.broadcast_id, id));

  return {
    ...harness,
    build,
    companyId,
    identity,
    bearer,
    rung,
    store,
    row,
    step,
    messagesOf,
    recipientsOf: (id: number) => readRows(broadcast_recipients, eq(broadcast_recipients.broadcast_id, id)),
    /** Changes a row as a request would. */
    change: (id: number, columns: Partial<BroadcastRow>) => updateRows(broadcasts, columns, eq(broadcasts.id, id)),
    /** Attempts all waiting messages of a broadcast. */
    async deliver(id: number, services = build()): Promise<void> {
      const waiting = (await messagesOf(id)).filter(({ next_attempt_at }) => next_attempt_at !== null);
      const rows = waiting.map((message) => ({ id: message.id, company_id: companyId }));
      if (rows.length > 0) await deliverNow(services, rows, "bulk");
    },
    /** Runs all steps, delivers all messages, and lets the waits pass, until the broadcast has ended or waits for a change. */
    async finish(id: number, services = build()): Promise<BroadcastRow> {
      for (let turn = 0; turn < 50; turn++) {
        const { state, next_step_at: nextAt } = await row(id);
        if (["sent", "failed", "paused"].includes(state) || nextAt === null) break;
        if (nextAt > harness.now() + 15 * MINUTE_MS) break;
        harness.advance(Math.max(nextAt - harness.now(), 0));
        await runStep(services, { id, company_id: companyId });
        await this.deliver(id, services);
      }
      return row(id);
    },
  };
}
