import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { managementCommands } from "../../../../schemas/management";
import { type KeyRing, open, SealError, seal, sealedBy } from "../../../kit/crypto/seal";
import { toSlices } from "../../../kit/db/slices";
import { encodeCursor } from "../../../kit/http/paging/cursor";
import { readPage } from "../../../kit/http/paging/page";
import { type FlagValues, withFlagErrors } from "../../../kit/management/flags";
import type { ManagementCommand } from "../../../kit/management/mount";
import { SECOND_MS } from "../../../kit/time";
import { ruleAad } from "../../../kit/webhooks/posting/webhook-post";
import { turnstileAad } from "../../audience/newsletters/newsletter";
import { bearerAad, contactAad, emailsAad } from "../../audience/recipients/seal";
import { attachmentsAad } from "../../delivery/attachments/attachments";
import { contentAad } from "../../delivery/messages/direct-content";
import { credentialsAad } from "../../delivery/sender/credentials";
import { webhookAad } from "../../delivery/sender-settings/provider";
import { recipientsAad } from "../../intake/rules/static-recipients";
import type { EmailKeys } from "../../keys";
import { messageAad, subscriberAad } from "../../records/seal/seal";
import { callbackAad } from "../../records/webhooks/callback";
import { eventAad } from "../../records/webhooks/event-seal";
import type { EmailServices } from "../../services";
import { type Key, type Reencryption, type SealedRow, sealedTables } from "./reencrypt.store";

/** Ratio between the rows of one scan and the rows of one update. */
const SCANNED_PER_UPDATED_ROW = 50;
/** Maximum number of statements per request. D1 allows 1000 queries per invocation. */
const MAX_STATEMENTS = 900;
const CALL_SECONDS = 50;

type TableName = keyof typeof sealedTables;
type RowPosition = Pick<SealedRow, "company" | "record">;
/** The key ring of a table. `aads` return the additional authenticated data of its encrypted columns. */
type Seal = { ring: "variables" | "credentials" | "webhooks"; aads: ((position: RowPosition) => string)[] };

const providerWebhook = (column: Parameters<typeof webhookAad>[0]) => (position: RowPosition) =>
  webhookAad(column, { companyId: position.company, sealId: position.record });
const message = (column: Parameters<typeof messageAad>[0]) => (position: RowPosition) =>
  messageAad(column, position.company, position.record);
const event = (column: "data" | "envelope") => (position: RowPosition) =>
  eventAad({ column, companyId: position.company, eventId: position.record });
const rule = (column: Parameters<typeof ruleAad>[1]) => (position: RowPosition) =>
  ruleAad("email", column, position.company);

const seals: Record<TableName, Seal> = {
  messages: { ring: "variables", aads: sealedTables.messages.columns.map(message) },
  direct_contents: { ring: "variables", aads: [({ company, record }) => contentAad(company, record)] },
  message_attachments: { ring: "variables", aads: [({ company, record }) => attachmentsAad(company, record)] },
  rules: {
    ring: "variables",
    aads: [({ company, record }) => recipientsAad({ company_id: company, seal_id: record })],
  },
  event_log: { ring: "variables", aads: sealedTables.event_log.columns.map(event) },
  // The body of a delivery is the envelope of its event.
  action_deliveries: { ring: "variables", aads: [event("envelope")] },
  company_providers: {
    ring: "credentials",
    aads: [
      ({ company, record }) => credentialsAad(company, record),
      providerWebhook("webhook_secret_enc"),
      providerWebhook("webhook_previous_enc"),
    ],
  },
  service_clients: { ring: "credentials", aads: [({ record }) => callbackAad(record)] },
  broadcasts: {
    ring: "variables",
    aads: [({ company, record }) => bearerAad(company, record), ({ company, record }) => emailsAad(company, record)],
  },
  broadcast_recipients: { ring: "variables", aads: [({ record }) => contactAad(record)] },
  newsletters: { ring: "credentials", aads: [({ company, record }) => turnstileAad(company, record)] },
  subscribers: {
    ring: "variables",
    aads: sealedTables.subscribers.columns.map(
      (column) =>
        ({ company, record }: RowPosition) =>
          subscriberAad(column, company, record),
    ),
  },
  action_rules: { ring: "webhooks", aads: sealedTables.action_rules.columns.map(rule) },
};

const names = Object.keys(sealedTables) as TableName[];

/** The table and the primary key after which the scan continues. */
type ResumePosition = { name: TableName; after: Key };

const position = lazySchema(() =>
  z
    .tuple([z.enum(names)], z.union([z.string(), z.int()]))
    .refine(
      ([name, ...key]) =>
        sealedTables[name].start.map((part) => typeof part).join() === key.map((part) => typeof part).join(),
    ),
);

/**
 * Returns the position in the flag `after`, at which an earlier request stopped, or null without the flag. Throws 400
 * `flags.after: [invalid]` for an invalid cursor.
 */
function readResumePosition({ after: cursor }: FlagValues): ResumePosition | null {
  if (cursor === undefined) return null;
  const { after } = withFlagErrors(() => readPage({ cursor: String(cursor) }, position), { cursor: "after" });
  if (after === null) return null;
  const [name, ...key] = after;
  return { name, after: key };
}

/**
 * Scans every table by primary key and re-encrypts the values that are not encrypted with the newest key. A value that cannot
 * be decrypted remains unchanged, and its row is counted as unreadable. A value that changed after it was read remains
 * unchanged, too. The command can be interrupted and repeated at any point, because re-encrypted rows are not selected again.
 * When it stops early, it returns a cursor from which the next request continues.
 */
const reencrypt: ManagementCommand<EmailServices>["run"] = async (services, flags, { report }) => {
  const { platformDb, clock } = services;
  const keys = await services.keys();
  const limit = Number(flags.batch_size);
  const maxSeconds = Math.min(Number(flags.max_seconds) || CALL_SECONDS, CALL_SECONDS);
  const stopAt = clock.now() + maxSeconds * SECOND_MS;
  let statementCount = 0;
  let scannedRows = 0;
  let rows = 0;
  let unreadable = 0;
  let attempted = 0;

  const isBudgetExhausted = () => statementCount >= MAX_STATEMENTS || clock.now() >= stopAt;

  /** Re-encrypts the rows of a scanned range. Returns null, or the primary key at which the budget was exhausted. */
  async function reencryptRows(name: TableName, range: { after: Key; end: Key }): Promise<Key | null> {
    const { find, update } = sealedTables[name];
    const { ring: keyRing, aads } = sealOf(name, keys);
    for (let after = range.after; ; ) {
      // The first batch runs even with an exhausted budget, so that every request makes progress.
      if (attempted > 0 && isBudgetExhausted()) return after;
      const sealedRows = await platformDb.all(
        find({ after, end: range.end, currentKeyPrefix: sealedBy(keyRing.current), limit }),
      );
      const resealed = await Promise.all(sealedRows.map((row) => reseal(row, aads, keyRing)));
      const updates = toSlices(resealed.flatMap(({ reencryption }) => reencryption ?? []));
      const { changed } = await platformDb.batch({ changed: updates.map((slice) => update({ updates: slice })) });
      statementCount += 1 + updates.length;
      attempted += sealedRows.length;
      rows += changed.reduce((sum, { changes }) => sum + changes, 0);
      unreadable += resealed.filter(({ isUnreadable }) => isUnreadable).length;
      report({ rows, unreadable });
      const last = sealedRows.at(-1);
      if (last === undefined || sealedRows.length < limit) return null;
      after = last.at;
    }
  }

  /** Scans a table. Returns null, or the primary key at which it stopped early. */
  async function scanTable(name: TableName, from: Key): Promise<Key | null> {
    const { scan } = sealedTables[name];
    const currentKeyPrefix = sealedBy(sealOf(name, keys).ring.current);
    for (let after = from; ; ) {
      if (statementCount > 0 && isBudgetExhausted()) return after;
      statementCount += 1;
      const slice = await platformDb.first(scan({ after, currentKeyPrefix, limit: limit * SCANNED_PER_UPDATED_ROW }));
      if (slice === null || slice.end === null) return null;
      const { outdated, end } = slice;
      scannedRows += outdated;
      if (outdated > 0 && flags.dry_run !== true) {
        const stopped = await reencryptRows(name, { after, end });
        if (stopped !== null) return stopped;
        // Rows may have been inserted or deleted since they were counted.
        scannedRows = attempted;
      }
      after = end;
    }
  }

  const resumeFrom = readResumePosition(flags);
  let next: string | null = null;
  for (const name of resumeFrom === null ? names : names.slice(names.indexOf(resumeFrom.name))) {
    const stopped = await scanTable(name, resumeFrom?.name === name ? resumeFrom.after : sealedTables[name].start);
    if (stopped === null) continue;
    next = encodeCursor([name, ...stopped]);
    break;
  }
  const complete = next === null;
  if (flags.dry_run === true) {
    const counts = { rows: scannedRows, complete };
    return { summary: `would re-encrypt rows=${scannedRows} complete=${complete}`, counts, runId: null, next };
  }
  const remaining = Math.max(scannedRows - attempted, 0) + unreadable;
  const summary = `rows=${rows} remaining=${remaining} unreadable=${unreadable} complete=${complete}`;
  return { summary, counts: { rows, remaining, unreadable, complete }, runId: null, next };
};

const sealOf = (name: TableName, keys: EmailKeys) => ({ ring: keys[seals[name].ring], aads: seals[name].aads });

type Resealed = { reencryption: Reencryption | null; isUnreadable: boolean };

/** Re-encrypts the values of a row with the newest key. `reencryption` is null when no value can or must be changed. */
async function reseal(row: SealedRow, aads: Seal["aads"], keyRing: KeyRing): Promise<Resealed> {
  const oldTexts: Reencryption["oldTexts"] = row.sealed.map(() => null);
  const newTexts: Reencryption["newTexts"] = [...oldTexts];
  let isUnreadable = false;
  for (const [i, aad] of aads.entries()) {
    const text = row.sealed[i] ?? null;
    if (text === null || !text.startsWith("v1.") || text.startsWith(sealedBy(keyRing.current))) continue;
    try {
      newTexts[i] = await seal(await open(text, keyRing, aad(row)), keyRing, aad(row));
      oldTexts[i] = text;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      isUnreadable = true;
    }
  }
  return {
    reencryption: oldTexts.some((text) => text !== null)
      ? { at: row.at, oldTexts: oldTexts, newTexts: newTexts }
      : null,
    isUnreadable,
  };
}

/** The command that re-encrypts all values with the newest key, so that older keys can be removed. */
export const reencryptCommands: ManagementCommand<EmailServices>[] = managementCommands.email.flatMap((spec) =>
  spec.name === "reencrypt" ? [{ spec, check: readResumePosition, run: reencrypt }] : [],
);
