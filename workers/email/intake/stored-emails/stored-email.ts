import { directIdOf } from "../../../../db/email/conditions/direct";
import type { DirectContentRow, MessageRow } from "../../../../db/email/rows";
import type { FieldErrors } from "../../../../schemas/errors";
import type { JsonObject } from "../../../kit/json";
import { removeUnusedAttachments } from "../../delivery/attachments/attachments";
import { openContent } from "../../delivery/messages/direct-content";
import { readMessageId } from "../../delivery/messages/message";
import { type ShownTrace, shownTrace } from "../../delivery/messages/stored-trace";
import { Problem } from "../../problem";
import { readKeyHash, requireActive } from "../../records/clients/caller";
import { soleCompanyOf } from "../../records/clients/service-client";
import { openAddress } from "../../records/seal/seal";
import type { EmailServices } from "../../services";
import { enqueueScheduled } from "../emails/email";
import { readSchedule } from "../emails/email-input";
import { requireCompany } from "../emails/email-request";
import { presentEmail } from "./stored-email.present";
import { cancelStoredEmail, readStoredEmail, rescheduleStoredEmail } from "./stored-email.store";

/** An email with at least one message. `content` is null when it is deleted. */
type StoredEmail = { id: string; companyId: number; messages: MessageRow[]; content: DirectContentRow | null };

/**
 * Returns the email with the id in the path. Throws 401, 403 `company_mismatch`, or 404 unless the service of the key sent it for
 * the company of the key.
 */
async function requireEmail(
  request: Request,
  pathId: string | undefined,
  services: EmailServices,
): Promise<StoredEmail> {
  const id = readMessageId(pathId);
  const keyHash = await readKeyHash(request);
  const stored = await readStoredEmail(services.platformDb, id, { keyHash, now: services.clock.now() });
  const client = await requireActive(request, services, { hash: keyHash, row: stored.key });
  const messages = stored.messages.filter((message) => directTraceOf(message) !== undefined);
  const company = requireCompany(soleCompanyOf(client));
  const [first] = messages;
  const isVisible = first !== undefined && client.service === first.service && first.company_id === company;
  if (!isVisible || directIdOf(id) !== id) throw new Problem("message_not_found");
  return { id, companyId: first.company_id, messages, content: stored.content };
}

const directTraceOf = ({ trace }: MessageRow): ShownTrace["direct"] => (shownTrace(trace) as ShownTrace).direct;

/** Handles `GET /api/v1/emails/{id}`. */
export async function showEmail(request: Request, id: string | undefined, services: EmailServices) {
  const email = await requireEmail(request, id, services);
  const keys = await services.keys();
  const content = email.content === null ? null : await openContent(email.content, keys);
  const recipients = await Promise.all(
    email.messages.map(async (message) => ({ message, to: (await openAddress(message, keys)) ?? message.to_masked })),
  );
  const [first] = email.messages;
  const { from = "", tags = [] } = (first && directTraceOf(first)) ?? {};
  return presentEmail({
    id: email.id,
    recipients,
    from,
    tags,
    content,
    scheduledAt: email.content?.scheduled_at ?? null,
    now: services.clock.now(),
  });
}

/** Handles `POST /api/v1/emails/{id}/cancel`. Throws 409 when no message of the email is waiting. */
export async function cancelEmail(
  request: Request,
  pathId: string | undefined,
  services: EmailServices,
): Promise<string> {
  const { id, companyId, messages } = await requireEmail(request, pathId, services);
  const now = services.clock.now();
  if (!(await cancelStoredEmail(services.dbOf(companyId), { id, companyId, now }))) {
    throw new Problem("message_not_cancellable");
  }
  const attachmentIds = messages.flatMap(({ attachments_id: attachments }) => attachments ?? []);
  services.waitUntil(removeUnusedAttachments(services, companyId, attachmentIds));
  return id;
}

/** Handles `PATCH /api/v1/emails/{id}`. Throws 409 unless the email is scheduled. A time in the past sends it now. */
export async function rescheduleEmail(
  request: Request,
  pathId: string | undefined,
  services: EmailServices,
  readBody: () => Promise<JsonObject>,
): Promise<string> {
  const { id, companyId, messages } = await requireEmail(request, pathId, services);
  const body = await readBody();
  const now = services.clock.now();
  const errors: FieldErrors = {};
  const at = readSchedule(body.scheduled_at, now, errors) ?? now;
  if (typeof body.scheduled_at !== "string" || body.scheduled_at === "") errors.scheduled_at = ["required"];
  if (Object.keys(errors).length > 0) throw new Problem("validation_failed", { field_errors: errors });
  if (!(await rescheduleStoredEmail(services.dbOf(companyId), { id, companyId, at, now }))) {
    throw new Problem("email_not_scheduled");
  }
  enqueueScheduled(
    services,
    messages.map((message) => ({ id: message.id, company_id: companyId })),
    at,
  );
  return id;
}
