import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { managementCommands } from "../../../../schemas/management";
import { type KeyRing, open, SealError, seal, sealedBy } from "../../../kit/crypto/seal";
import { toSlices } from "../../../kit/db/slices";
import { encodeCursor } from "../../../kit/http/paging/cursor";
import { readPage } from "../../../kit/http/paging/page";
import { byApiRules, type FlagValues } from "../../../kit/management/flags";
import type { ManagementCommand } from "../../../kit/management/mount";
import { SECOND_MS } from "../../../kit/time";
import { ruleAad } from "../../../kit/webhooks/posting/webhook-post";
import { credentialsAad } from "../../delivery/sender/credentials";
import { webhookAad } from "../../delivery/sender-settings/provider";
import { recipientsAad } from "../../intake/rules/static-recipients";
import type { EmailKeys } from "../../keys";
import { messageAad } from "../../records/seal/seal";
import { callbackAad } from "../../records/webhooks/callback";
import { eventAad } from "../../records/webhooks/event-seal";
import type { EmailServices } from "../../services";
import { type Key, type Reencryption, type SealedRow, sealedTables } from "./reencrypt.store";

/** Rows that one look counts, for each row that one change may have. */
const LOOKED_PER_ROW = 50;
/** Statements of one call: an invocation may make 1000 queries. */
const MAX_STATEMENTS = 900;
const CALL_SECONDS = 50;

type Name = keyof typeof sealedTables;
type RowPosition = Pick<SealedRow, "company" | "record">;
/** Where the values of a table open: their keys, and the additional data of each column. */
type Seal = { ring: "variables" | "credentials" | "webhooks"; aads: ((position: RowPosition) => string)[] };

const providerWebhook = (column: Parameters<typeof webhookAad>[0]) => (position: RowPosition) =>
  webhookAad(column, { companyId: position.company, sealId: position.record });
const message = (column: Parameters<typeof messageAad>[0]) => (position: RowPosition) =>
  messageAad(column, position.company, position.record);
const event = (column: "data" | "envelope") => (position: RowPosition) =>
  eventAad({ column, companyId: position.company, eventId: position.record });
const rule = (column: Parameters<typeof ruleAad>[1]) => (position: RowPosition) =>
  ruleAad("email", column, position.company);

const seals: Record<Name, Seal> = {
  messages: { ring: "variables", aads: sealedTables.messages.columns.map(message) },
  rules: {
    ring: "variables",
    aads: [({ company, record }) => recipientsAad({ company_id: company, seal_id: record })],
  },
  event_log: { ring: "variables", aads: sealedTables.event_log.columns.map(event) },
  // A delivery carries the envelope of its event.
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
  action_rules: { ring: "webhooks", aads: sealedTables.action_rules.columns.map(rule) },
};

const names = Object.keys(sealedTables) as Name[];

/** Behind which row of which table a walk goes on. */
type Stop = { name: Name; after: Key };

const position = lazySchema(() =>
  z
    .tuple([z.enum(names)], z.union([z.string(), z.int()]))
    .refine(
      ([name, ...key]) =>
        sealedTables[name].start.map((part) => typeof part).join() === key.map((part) => typeof part).join(),
    ),
);

/** Where the flag `after` says that an earlier call stopped; 400 `flags.after: [invalid]` for a text that none has told. */
function readStop({ after: cursor }: FlagValues): Stop | null {
  if (cursor === undefined) return null;
  const { after } = byApiRules(() => readPage({ cursor: String(cursor) }, position), { cursor: "after" });
  if (after === null) return null;
  const [name, ...key] = after;
  return { name, after: key };
}

/**
 * Walks over every table by its key and seals anew what another key than the newest has sealed. A value that does not open
 * is counted and left; one that changed after it was read stays as it is now. It can end at any line and begin again: what
 * is done is not found any more; where it stopped early it says where another call goes on, so that none looks at all again.
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

  /** Moves the rows of a look; behind which it stopped when the time or the statements of the call are used up before, else null. */
  async function reencryptRows(name: Name, look: { after: Key; end: Key }): Promise<Key | null> {
    const { find, move } = sealedTables[name];
    const { ring: keyRing, aads } = sealOf(name, keys);
    for (let after = look.after; ; ) {
      // What a look has found is begun at least, so that each call comes further.
      if (attempted > 0 && isBudgetExhausted()) return after;
      const sealedRows = await platformDb.all(find({ after, end: look.end, mark: sealedBy(keyRing.current), limit }));
      const resealed = await Promise.all(sealedRows.map((row) => reseal(row, aads, keyRing)));
      const moves = toSlices(resealed.flatMap(({ move }) => move ?? []));
      const { changed } = await platformDb.batch({ changed: moves.map((slice) => move({ moves: slice })) });
      statementCount += 1 + moves.length;
      attempted += sealedRows.length;
      rows += changed.reduce((sum, { changes }) => sum + changes, 0);
      unreadable += resealed.filter(({ isUnreadable }) => isUnreadable).length;
      report({ rows, unreadable });
      const last = sealedRows.at(-1);
      if (last === undefined || sealedRows.length < limit) return null;
      after = last.at;
    }
  }

  /** Walks over a table; behind which row it stopped early, or null. */
  async function walk(name: Name, from: Key): Promise<Key | null> {
    const { look } = sealedTables[name];
    const mark = sealedBy(sealOf(name, keys).ring.current);
    for (let after = from; ; ) {
      if (statementCount > 0 && isBudgetExhausted()) return after;
      statementCount += 1;
      const slice = await platformDb.first(look({ after, mark, limit: limit * LOOKED_PER_ROW }));
      if (slice === null || slice.end === null) return null;
      const { others, end } = slice;
      scannedRows += others;
      if (others > 0 && flags.dry_run !== true) {
        const stopped = await reencryptRows(name, { after, end });
        if (stopped !== null) return stopped;
        // Rows may have come or gone since they were counted.
        scannedRows = attempted;
      }
      after = end;
    }
  }

  const begin = readStop(flags);
  let next: string | null = null;
  for (const name of begin === null ? names : names.slice(names.indexOf(begin.name))) {
    const stopped = await walk(name, begin?.name === name ? begin.after : sealedTables[name].start);
    if (stopped === null) continue;
    next = encodeCursor([name, ...stopped]);
    break;
  }
  const complete = next === null;
  if (flags.dry_run === true) {
    const counts = { rows: scannedRows, complete };
    return { summary: `would seal rows=${scannedRows} complete=${complete}`, counts, runId: null, next };
  }
  const remaining = Math.max(scannedRows - attempted, 0) + unreadable;
  const summary = `rows=${rows} remaining=${remaining} unreadable=${unreadable} complete=${complete}`;
  return { summary, counts: { rows, remaining, unreadable, complete }, runId: null, next };
};

const sealOf = (name: Name, keys: EmailKeys) => ({ ring: keys[seals[name].ring], aads: seals[name].aads });

type Resealed = { move: Reencryption | null; isUnreadable: boolean };

/** The values of a row that another key sealed, by the newest one; null: there are none that open. */
async function reseal(row: SealedRow, aads: Seal["aads"], keyRing: KeyRing): Promise<Resealed> {
  const was: Reencryption["was"] = row.sealed.map(() => null);
  const now: Reencryption["now"] = [...was];
  let isUnreadable = false;
  for (const [i, aad] of aads.entries()) {
    const text = row.sealed[i] ?? null;
    if (text === null || !text.startsWith("v1.") || text.startsWith(sealedBy(keyRing.current))) continue;
    try {
      now[i] = await seal(await open(text, keyRing, aad(row)), keyRing, aad(row));
      was[i] = text;
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      isUnreadable = true;
    }
  }
  return { move: was.some((text) => text !== null) ? { at: row.at, was, now } : null, isUnreadable };
}

/** The command that lets keys before the newest go. */
export const reencryptCommands: ManagementCommand<EmailServices>[] = managementCommands.email.flatMap((spec) =>
  spec.name === "reencrypt" ? [{ spec, check: readStop, run: reencrypt }] : [],
);
