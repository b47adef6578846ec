import type { ItemColumns, SharedColumns } from "../../../../db/email/conditions/new-messages";
import type { NewEvent } from "../../../../db/email/rows";
import { maskAddress } from "../../../../schemas/text/address";
import { seal } from "../../../kit/crypto/seal";
import { type ShownTrace, storedTrace } from "../../delivery/messages/stored-trace";
import type { EmailKeys } from "../../keys";
import { messageAad } from "../../records/seal/seal";
import { messageEvent } from "../../records/webhooks/event";
import type { Acceptance, CountedMessage } from "./acceptance";

/** Returns the expiry of the messages in unix ms, or null when they do not expire. */
export function expiryOf({ origin, ttlMs }: Pick<Acceptance, "origin" | "ttlMs">): number | null {
  return ttlMs === null ? null : origin.now + ttlMs;
}

/** Returns the columns that all messages of an acceptance share. */
export function sharedColumns(
  { origin, kind, sender, attachmentsId = null }: Acceptance,
  ids: { sendRequestId: string | null; requestId: string },
): SharedColumns {
  return {
    company_id: origin.companyId,
    service: origin.service,
    client_id: origin.clientId,
    send_request_id: ids.sendRequestId,
    lane: kind.lane,
    category: kind.category,
    scope: sender.scope,
    accepted_at: origin.now,
    request_id: ids.requestId,
    attachments_id: attachmentsId,
  };
}

/** Returns the columns of one message, with encrypted address and variables. */
export async function messageRow(
  acceptance: Acceptance,
  message: CountedMessage,
  keys: Pick<EmailKeys, "variables">,
): Promise<Omit<ItemColumns, "idempotency_key" | "fingerprint">> {
  const { companyId } = acceptance.origin;
  const { id, recipient, hashes, templateKey, content, suppressed } = message;
  const { version_id, template_version, default_checksum, language } = content;
  const pinned = { version_id, template_version, default_checksum };
  const sealed = (column: "to_enc" | "variables_enc", text: string) =>
    seal(text, keys.variables, messageAad(column, companyId, id));
  const [to_enc, variables_enc] = await Promise.all([
    sealed("to_enc", recipient.email),
    suppressed === null ? sealed("variables_enc", JSON.stringify(message.variables)) : null,
  ]);
  return {
    id,
    status: suppressed === null ? "queued" : "suppressed",
    to_enc,
    to_masked: maskAddress(recipient.email),
    to_user_id: recipient.userId,
    email_hmac: hashes.address,
    variables_enc,
    template_key: templateKey,
    event_type: message.eventType ?? acceptance.kind.eventType,
    language: language.value,
    ...(suppressed === null ? pinned : { version_id: null, template_version: null, default_checksum: null }),
    expires_at: suppressed === null ? expiryOf(acceptance) : null,
    last_error_code: suppressed?.code ?? null,
    trace: storedTrace(toTrace(acceptance, message), { isFinal: suppressed !== null }),
    next_attempt_at: message.scheduledAt ?? null,
  };
}

/** Returns the trace of a new message. It contains no address and no variable values. */
function toTrace(
  { sender }: Acceptance,
  { ruleId, name, content, suppressed, limits, direct }: CountedMessage,
): ShownTrace {
  return {
    rule_id: ruleId,
    content: content.trace,
    language: content.language,
    company_name: { source: name.source },
    sender: { scope: sender.scope, provider: sender.provider, reason: sender.reason },
    suppression: { hit: suppressed !== null, reason: suppressed?.reason ?? null, lanes: suppressed?.lanes ?? [] },
    limits,
    delivery: [],
    ...(direct === undefined ? {} : { direct }),
  };
}

/** Returns the events of the suppressed messages. */
export async function suppressedEvents(
  { origin, kind }: Acceptance,
  messages: readonly CountedMessage[],
  keys: EmailKeys,
): Promise<NewEvent[]> {
  const events = messages.map(({ id, recipient, templateKey, suppressed, eventType = kind.eventType }) => {
    if (suppressed === null) return null;
    const message = {
      id,
      company_id: origin.companyId,
      service: origin.service,
      template_key: templateKey,
      event_type: eventType,
      lane: kind.lane,
      to_user_id: recipient.userId,
      template_version: null,
    };
    const facts = { reason: suppressed.code };
    return messageEvent(keys, message, { status: "suppressed", to: recipient.email, facts, now: origin.now });
  });
  return (await Promise.all(events)).flatMap((event) => event ?? []);
}
