import type { SendRequestRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { SendBatchAnswer } from "../../../../schemas/email/intake/send";
import type { Bound } from "../../../kit/db/statement";
import { tryParse, unwrap, valueOr } from "../../../kit/http/request/parsed";
import { isObject, type JsonObject } from "../../../kit/json";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import { Problem } from "../../../kit/problem";
import { findSuppression } from "../../audience/suppression/suppression";
import { checkVariables, readVariables, resolveVariables, withRecipient } from "../../content/catalog/variables";
import type { PinnedContent } from "../../content/documents/content";
import type { EmailServices } from "../../services";
import { acceptMessages, type NewMessage, newMessageId } from "../acceptance/acceptance";
import { acquireIdempotencyLock } from "../acceptance/idempotency";
import { type LimitedAcceptance, rateLimitInput } from "../acceptance/reserved";
import { reserveEachSend } from "../limits/limits";
import { resolveCompanyName } from "../submission/company-name";
import { addressesOf, type RecipientResult, readList, readRecipient } from "../submission/fields";
import { hashesOf } from "../submission/people";
import { refusedRecipient, type Skip, skipStatements } from "../submission/skips";
import { acceptanceOf, type SubmitContext } from "../submission/submission";
import { openSend, readOptions, requireSendable } from "./send-request";

const PATH = "/api/v1/send/batch";
const MAX_BODY_BYTES = 8_388_608;

type BatchResult = Omit<SendBatchAnswer, "idempotent_replay">;
/** An item of the request with its parsed recipient. */
type Item = { to: RecipientResult; variables: unknown };
type ValidItem = { index: number; message: NewMessage };
type Rejected = BatchResult["rejected"][number];
/** `skip` is set when the address is suppressed. */
type InvalidItem = { rejected: Rejected; skip?: Skip };

/** The result of a batch. `sendable` are the messages to deliver; a replay has none. */
export type BatchOutcome = BatchResult & { isReplay: boolean; lane: Lane; sendable: CompanyRow[] };

/** Handles `POST /api/v1/send/batch`. An invalid item does not affect the other items. */
export async function submitBatch(request: Request, services: EmailServices): Promise<BatchOutcome> {
  const opened = await openSend(request, services, {
    path: PATH,
    limit: MAX_BODY_BYTES,
    read: (body) => {
      const items = tryParse(() => readItems(body, services.settings.maxBatchItems));
      return { items, addresses: addressesOf(valueOr(items, []).flatMap((item) => item?.to ?? [])) };
    },
  });
  if (opened.kind === "replay") return replayBatch(opened.row);
  const { context, fields } = opened;
  const items = unwrap(fields.items);
  const options = readOptions(context, services);
  const { sender, content } = await requireSendable(opened, options, services);
  const acceptance = acceptanceOf(context, { sender, ttlMs: options.ttlMs });
  const results = items.map((item, index) => checkItem(services, context, content, { item, index }));
  const valid = results.flatMap((result) => ("message" in result ? [result] : []));
  const invalid = results.flatMap((result) => ("rejected" in result ? [result] : []));
  const skips = invalid.flatMap(({ skip }) => skip ?? []);
  return storeBatch(services, acceptance, valid, {
    rejected: invalid.map((result) => result.rejected),
    statements: skipStatements(context, services.requestId, { skips, reason: null }),
  });
}

async function storeBatch(
  services: EmailServices,
  acceptance: LimitedAcceptance,
  valid: readonly ValidItem[],
  { rejected, statements }: { rejected: readonly Rejected[]; statements: readonly Bound[] },
): Promise<BatchOutcome> {
  const { origin, kind } = acceptance;
  const limitInput = rateLimitInput(
    acceptance,
    valid.map(({ message }) => message),
  );
  const lock = await acquireIdempotencyLock(services, origin, () => reserveEachSend(services, limitInput));
  if ("winner" in lock) return replayBatch(lock.winner);
  const { reservation, rejections, limits } = lock.acquired;
  const admitted = valid.flatMap(({ index, message }, position) =>
    rejections[position] === null ? [{ index, message: { ...message, limits: limits[position] ?? [] } }] : [],
  );
  const rateLimited = valid.flatMap(({ index }, position): Rejected[] => {
    const rejection = rejections[position] ?? null;
    return rejection === null ? [] : [{ index, ...rejection }];
  });
  const result: BatchResult = {
    accepted: admitted.map(({ index, message }) => ({ index, id: `msg_${message.id}`, status: "queued" })),
    rejected: [...rejected, ...rateLimited].sort((a, b) => a.index - b.index),
  };
  const messages = admitted.map(({ message }) => message);
  const winner = await acceptMessages(services, acceptance, { messages, reservation, response: result, statements });
  if (winner !== null) return replayBatch(winner);
  return {
    isReplay: false,
    ...result,
    lane: kind.lane,
    sendable: messages.map(({ id }) => ({ id, company_id: origin.companyId })),
  };
}

/** Validates the recipient, variables and suppression of one item, like a single send. */
function checkItem(
  services: EmailServices,
  context: SubmitContext,
  content: PinnedContent,
  { item, index }: { item: Item | null; index: number },
): ValidItem | InvalidItem {
  const { settings } = services;
  const { client, event, facts } = context;
  const { companyId } = context.origin;
  const reject = (error_code: string) => ({ rejected: { index, error_code } });
  if (item === null) return reject("validation_failed");
  if (!item.to.ok) return reject(item.to.isAddress ? "recipient_invalid" : "validation_failed");
  const { recipient } = item.to;
  try {
    const input = readVariables(item.variables, settings);
    const name = resolveCompanyName(input, facts, { client, companyId }, settings);
    const values = resolveVariables(event, input, name.value, {
      language: content.language.value,
      timeZone: recipient.timeZone,
    });
    checkVariables(event, values, settings);
    const suppressed = findSuppression(event, context.hashes.get(recipient.email) ?? [], facts);
    if (suppressed !== null) {
      const skip = refusedRecipient(context, { email: recipient.email, reason: suppressed.code, ruleId: null });
      return { ...reject("recipient_suppressed"), skip };
    }
    const variables = withRecipient(event, values, recipient.email);
    const messageFields = { id: newMessageId(), ruleId: null, templateKey: event.event_type, content };
    const hashes = hashesOf(context, recipient.email);
    return { index, message: { ...messageFields, recipient, hashes, variables, name, suppressed: null } };
  } catch (error) {
    if (error instanceof Problem) return reject(error.code);
    throw error;
  }
}

function replayBatch(row: SendRequestRow): BatchOutcome {
  const stored = row.response as BatchResult;
  return { isReplay: true, ...stored, lane: "transactional", sendable: [] };
}

/** Reads 1 to `max` items. An item that is not an object becomes null. */
function readItems(body: JsonObject, max: number): (Item | null)[] {
  return readList(body.items, "items", max).map((item) =>
    isObject(item) ? { to: readRecipient(item.to, "to"), variables: item.variables } : null,
  );
}
