import type { BroadcastRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import type {
  BroadcastCounts,
  PublicBroadcast,
  PublicBroadcastItem,
} from "../../../../schemas/email/audience/broadcasts";
import { changeEntry, newRowEntry } from "../../../kit/audit/audit";
import { bytesToHex } from "../../../kit/crypto/encoding";
import type { BatchResults } from "../../../kit/db/db";
import { followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { newTemplateKey, storeStandaloneTemplate } from "../../authoring/templates/custom-template";
import { fillExampleMail } from "../../authoring/templates/example-mail";
import { composeVersion } from "../../authoring/templates/version";
import { requireUnsubscribeLink, storePublished } from "../../authoring/templates/versions";
import { adaptToBroadcast } from "../../content/documents/broadcast-design";
import { BROADCAST, BROADCAST_EVENT } from "../../content/event-types/broadcast-event";
import type { EmailDocument } from "../../content/format/document";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { type CountedBroadcast, readCounts, selectCounts } from "../broadcast-counts/counts";
import { openAudience, sealAudience } from "../recipients/seal";
import { presentBroadcast, presentBroadcastItem } from "./broadcast.present";
import {
  changeBroadcast,
  deleteBroadcast,
  findBroadcast,
  findByRef,
  findContent,
  findFullContent,
  findPausesOfBroadcast,
  findProviderOfBroadcast,
  hideTemplateOfBroadcast,
  insertBroadcast,
} from "./broadcast.store";
import type { BroadcastChange, NewBroadcast } from "./broadcast-input";
import { type BulkSender, chooseBulkSender, isStarted, presentSender } from "./broadcast-sender";

const REF_BYTES = 16;

/** Returns the statements that read a broadcast, its texts, and what its sender depends on. For `platform`, see isInForce. */
export const selectBroadcast = (id: number, platform: string) => ({
  row: findBroadcast({ id }),
  content: findContent({ id }),
  provider: findProviderOfBroadcast({ id }),
  pauses: findPausesOfBroadcast({ id, platform }),
});

/** Returns the statement that reads a broadcast by its id. */
export const selectBroadcastRow = (id: number) => findBroadcast({ id });

/** Returns the statement that reads the content that a broadcast would send or sent. */
export const selectFullContent = (id: number) => findFullContent({ id });

/** A broadcast with its complete audience, its texts and its sender. */
export type OpenedBroadcast = {
  row: BroadcastRow;
  audience: BroadcastRow["audience"];
  content: { id: number; number: number; subject: string; preheader: string } | null;
  bulk: BulkSender;
  sender: PublicBroadcast["sender"];
};

/** Converts the results of selectBroadcast. */
export async function openBroadcast(
  services: Pick<EmailServices, "settings" | "keys">,
  row: BroadcastRow,
  {
    content,
    provider,
    pauses,
  }: Pick<BatchResults<ReturnType<typeof selectBroadcast>>, "content" | "provider" | "pauses">,
): Promise<OpenedBroadcast> {
  const bulk = await chooseBulkSender(services, row.company_id, provider.first, pauses.rows);
  const audience = await openAudience(row, await services.keys());
  return { row, audience, content: content.first, bulk, sender: presentSender(bulk, provider.first) };
}

/** Returns the counts of the broadcasts of one company that are not drafts, by id. */
export async function countsOf(
  { dbOf, clock }: Pick<EmailServices, "dbOf" | "clock">,
  companyId: number,
  rows: readonly (CountedBroadcast & Pick<BroadcastRow, "state">)[],
): Promise<Map<number, BroadcastCounts>> {
  const started = rows.filter(isStarted);
  if (started.length === 0) return new Map();
  return readCounts(await dbOf(companyId).batch(selectCounts(companyId, started, clock.now())));
}

/** Returns the API representation of a broadcast with its counts. */
export async function presentOpened(
  services: Pick<EmailServices, "dbOf" | "clock">,
  { row, audience, content, sender }: OpenedBroadcast,
): Promise<PublicBroadcast> {
  const counts = await countsOf(services, row.company_id, [row]);
  const item = presentBroadcastItem(row, audience, counts.get(row.id) ?? null);
  return presentBroadcast(row, item, content ?? { subject: "", preheader: "" }, sender);
}

/** Returns the API representation of broadcasts of one company in a list, with their counts. */
export async function presentList(
  services: Pick<EmailServices, "dbOf" | "clock" | "keys">,
  companyId: number,
  rows: readonly BroadcastRow[],
): Promise<PublicBroadcastItem[]> {
  const keys = await services.keys();
  const counts = await countsOf(services, companyId, rows);
  const items = rows.map(async (row) =>
    presentBroadcastItem(row, await openAudience(row, keys), counts.get(row.id) ?? null),
  );
  return Promise.all(items);
}

/** Reads a broadcast again after a change. Throws 404 when it was deleted in the meantime. */
export async function reopenBroadcast(services: EmailServices, id: number, companyId: number, platform: string) {
  const results = await services.dbOf(companyId).batch(selectBroadcast(id, platform));
  if (results.row.first === null) throw new Problem("broadcast_not_found");
  return openBroadcast(services, results.row.first, results);
}

/**
 * Stores a draft with its published copy of the design and the audit entry. Returns its id. Throws 400 `document:
 * [render_failed]` for a mail that is too large, and 503 `renderer_unavailable`.
 */
export async function createBroadcast(
  services: EmailServices,
  companyId: number,
  { design, language, subject, preheader, name, audience }: NewBroadcast,
  actor: AuditActor,
): Promise<number> {
  const document = adaptToBroadcast(JSON.parse(design.document) as EmailDocument, language);
  const source = { source_key: design.key, set_key: design.set_key };
  const draft = { name, language, audience, source, mail: { subject, preheader, document } };
  return storeBroadcast(services, companyId, draft, {
    actor,
    action: "broadcast.created",
    changes: { source: design.key },
  });
}

/** Stores a new draft with the content, language and audience of another broadcast. Returns its id. */
export async function duplicateBroadcast(
  services: EmailServices,
  row: BroadcastRow,
  actor: AuditActor,
): Promise<number> {
  const { id, company_id: companyId, name, language } = row;
  const audience = await openAudience(row, await services.keys());
  const content = await services.dbOf(companyId).first(findFullContent({ id }));
  if (content === null) throw new Problem("broadcast_not_found");
  const { subject, preheader, source_key, set_key } = content;
  const mail = { subject, preheader, document: JSON.parse(content.document) as EmailDocument };
  const draft = { name, language, audience, source: { source_key, set_key }, mail };
  return storeBroadcast(services, companyId, draft, { actor, action: "broadcast.created", changes: { copy_of: id } });
}

type Draft = Pick<BroadcastRow, "name" | "language" | "audience"> & {
  source: { source_key: string; set_key: string };
  mail: { subject: string; preheader: string; document: EmailDocument };
};

async function storeBroadcast(
  services: EmailServices,
  companyId: number,
  { name, language, audience, source, mail }: Draft,
  { actor, action, changes }: { actor: AuditActor; action: string; changes: Record<string, unknown> },
): Promise<number> {
  const { dbOf, clock, settings, requestId } = services;
  requireUnsubscribeLink(mail.document);
  const version = await composeVersion(mail, { set: source.set_key, language });
  fillExampleMail(BROADCAST_EVENT, language, version, settings);
  const now = clock.now();
  const key = newTemplateKey();
  const ref = `bc_${bytesToHex(crypto.getRandomValues(new Uint8Array(REF_BYTES)))}`;
  const template = { template_key: key, kind: "broadcast", company_id: companyId, event_type: BROADCAST } as const;
  const sealId = uuid();
  const insert = insertBroadcast({
    company_id: companyId,
    name,
    template_key: key,
    language,
    ...(await sealAudience(services, audience, { companyId, sealId })),
    provider_ref: ref,
    seal_id: sealId,
    request_id: requestId,
    created_by: actor.userId,
    now,
  });
  const { stored } = await dbOf(companyId).batch({
    template: storeStandaloneTemplate({
      template: { ...template, name, language, ...source, created_at: now },
      version,
      createdBy: actor.userId,
    }),
    broadcast: followedBy(insert, newRowEntry({ actor, companyId, action, target: "broadcast", changes, now })),
    stored: findByRef({ ref }),
  });
  if (stored.first === null) throw new Error("the broadcast was not stored");
  return stored.first.id;
}

/**
 * Changes a draft, with its audit entry. A new subject or preheader publishes a new version of its content. Throws 409
 * `broadcast_not_draft`, and `limit_reached` when the content has MAX_VERSIONS versions and none may be deleted.
 */
export async function changeDraft(
  services: EmailServices,
  row: BroadcastRow,
  change: BroadcastChange,
  actor: AuditActor,
): Promise<void> {
  const { dbOf, clock, settings } = services;
  const { id, company_id: companyId, template_id: templateId, language, seal_id: sealId } = row;
  const { name = row.name, audience = row.audience, subject, preheader } = change;
  const db = dbOf(companyId);
  const hasTexts = subject !== undefined || preheader !== undefined;
  const content = hasTexts ? await db.first(findFullContent({ id })) : null;
  const isNewText =
    content !== null &&
    ((subject ?? content.subject) !== content.subject || (preheader ?? content.preheader) !== content.preheader);
  const mail = isNewText
    ? {
        subject: subject ?? content.subject,
        preheader: preheader ?? content.preheader,
        document: JSON.parse(content.document) as EmailDocument,
      }
    : null;
  const version = mail === null ? null : await composeVersion(mail, { set: content?.set_key ?? "", language });
  if (version !== null) fillExampleMail(BROADCAST_EVENT, language, version, settings);
  const now = clock.now();
  const fields = Object.keys(change);
  const entry = changeEntry({
    actor,
    companyId,
    action: "broadcast.updated",
    target: `broadcast:${id}`,
    changes: { fields },
    now,
  });
  const update = changeBroadcast({
    id,
    name,
    hasAudience: change.audience !== undefined,
    ...(await sealAudience(services, audience, { companyId, sealId })),
    newVersion: version?.id ?? null,
    now,
  });
  const { updated, stored } = await db.batch({
    versions: version === null ? [] : storePublished(templateId, version, actor.userId, now),
    updated: followedBy(update, entry),
    stored: findBroadcast({ id }),
  });
  if (updated.changes > 0) return;
  throw new Problem(lostCode(stored.first, "limit_reached"));
}

/** Deletes a draft with its content and stores the audit entry. Throws 409 `broadcast_not_draft`. */
export async function removeBroadcast(
  { dbOf, clock }: EmailServices,
  { id, company_id: companyId, template_id: templateId }: BroadcastRow,
  actor: AuditActor,
): Promise<void> {
  const now = clock.now();
  const entry = changeEntry({ actor, companyId, action: "broadcast.deleted", target: `broadcast:${id}`, now });
  const { deleted, stored } = await dbOf(companyId).batch({
    deleted: followedBy(deleteBroadcast({ id }), entry),
    hidden: hideTemplateOfBroadcast({ templateId, now }),
    stored: findBroadcast({ id }),
  });
  if (deleted.changes === 0) throw new Problem(lostCode(stored.first, "broadcast_not_found"));
}

/** Returns the code for a change that changed no row. `otherwise` applies when the broadcast can be changed. */
function lostCode(row: BroadcastRow | null, otherwise: "limit_reached" | "broadcast_not_found") {
  if (row === null) return "broadcast_not_found";
  return row.state === "draft" || row.state === "failed" ? otherwise : "broadcast_not_draft";
}
