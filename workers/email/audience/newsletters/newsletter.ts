import type { CompanyProviderRow, NewsletterRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import {
  MAX_NEWSLETTERS,
  type NewsletterChange,
  type NewsletterInput,
} from "../../../../schemas/email/audience/newsletters";
import { NEWSLETTER_CONFIRMATION } from "../../../../schemas/email/content/internal-events";
import { changeEntry, newRowEntry } from "../../../kit/audit/audit";
import { randomToken } from "../../../kit/crypto/random";
import { open, SealError, seal } from "../../../kit/crypto/seal";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import {
  builtInDesigns,
  composeCustomTemplate,
  storeCustomTemplateOfNewsletter,
} from "../../authoring/templates/custom-template";
import { libraryMissing } from "../../content/library/load-library";
import { chooseSender, type SenderChoice } from "../../delivery/sender/sender";
import type { EmailKeys } from "../../keys";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { CONFIRMATION_EVENT } from "./confirmation";
import { enqueueListSteps } from "./list-steps";
import {
  changeNewsletter,
  deleteNewsletter,
  findNewsletter,
  type StoredChange,
  storeNewsletter,
} from "./newsletter.store";

/** Returns the statement that reads a newsletter. */
export const selectNewsletter = ({ id }: { id: number }): Bound<NewsletterRow> => findNewsletter({ id });

/** Random bytes of a public key: 24 URL-safe characters. */
const KEY_BYTES = 18;
const newPublicKey = () => `nl_${randomToken(KEY_BYTES)}`;

/** Returns the additional authenticated data of the Turnstile secret of a newsletter. */
export function turnstileAad(companyId: number, sealId: string): string {
  return `email:newsletters:turnstile_secret_enc:${companyId}:${sealId}`;
}

type SealedSecret = Pick<NewsletterRow, "company_id" | "seal_id" | "turnstile_secret_enc">;

/** Returns the Turnstile secret of a newsletter, or null without one. Throws 503 when it cannot be decrypted. */
export async function openTurnstileSecret(
  row: SealedSecret,
  keys: Pick<EmailKeys, "credentials">,
): Promise<string | null> {
  if (row.turnstile_secret_enc === null) return null;
  try {
    return await open(row.turnstile_secret_enc, keys.credentials, turnstileAad(row.company_id, row.seal_id));
  } catch (cause) {
    if (cause instanceof SealError) throw new Problem("service_unavailable", { cause });
    throw cause;
  }
}

async function sealTurnstileSecret(
  secret: string,
  { companyId, sealId }: { companyId: number; sealId: string },
  keys: Pick<EmailKeys, "credentials">,
): Promise<string | null> {
  return secret === "" ? null : seal(secret, keys.credentials, turnstileAad(companyId, sealId));
}

/** Returns the sender of the confirmation mails of a company, or why it has none. Pauses of the lane are ignored. */
export async function chooseConfirmationSender(
  { settings, keys }: Pick<EmailServices, "settings" | "keys">,
  companyId: number,
  providerRow: CompanyProviderRow | null,
): Promise<SenderChoice> {
  const { lane_class: lane, platform_sender: hasPlatform } = CONFIRMATION_EVENT;
  return chooseSender({ lane, companyId, usePlatformSender: false, hasPlatform, providerRow }, settings, await keys());
}

/**
 * Creates a newsletter with its published confirmation mail in the default language. Throws 409 `limit_reached`, and 503
 * `library_not_synced` or `renderer_unavailable`.
 */
export async function createNewsletter(
  services: EmailServices,
  companyId: number,
  input: NewsletterInput,
  actor: AuditActor,
): Promise<NewsletterRow> {
  const db = services.dbOf(companyId);
  const design = await db.first(builtInDesigns([CONFIRMATION_EVENT.default_template]));
  if (design === null) throw libraryMissing(services);
  const { company_id: _company, turnstile_secret: secret, ...columns } = input;
  const template = await composeCustomTemplate(services, design, {
    companyId,
    event: CONFIRMATION_EVENT,
    language: input.default_language,
    createdBy: actor.userId,
    kind: NEWSLETTER_CONFIRMATION,
    name: input.name,
  });
  const now = services.clock.now();
  const sealId = uuid();
  const row = {
    ...columns,
    company_id: companyId,
    public_key: newPublicKey(),
    seal_id: sealId,
    turnstile_secret_enc: await sealTurnstileSecret(secret, { companyId, sealId }, await services.keys()),
    key: template.template.template_key,
    now,
  };
  const audit = { action: "newsletter.created", target: "newsletter", changes: { name: input.name } };
  const entry = newRowEntry({ ...audit, actor, companyId, now });
  const stored = await storeNewsletter(db, storeCustomTemplateOfNewsletter(template, MAX_NEWSLETTERS), row, entry);
  if (stored === null) throw new Problem("limit_reached");
  return stored;
}

const UNCHANGED: StoredChange = {
  name: null,
  description: null,
  public_key: null,
  default_language: null,
  allowed_origins: null,
  confirmed_redirect_url: null,
  turnstile_site_key: null,
  setsSecret: false,
  turnstile_secret_enc: null,
};

/** Changes a newsletter; missing fields keep their values. Throws 404 when it was deleted in the meantime. */
export async function editNewsletter(
  services: EmailServices,
  row: NewsletterRow,
  input: NewsletterChange,
  actor: AuditActor,
): Promise<NewsletterRow> {
  const { turnstile_secret: secret, ...given } = input;
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { company_id: companyId, seal_id: sealId } = row;
  const sealed =
    secret === undefined ? null : await sealTurnstileSecret(secret, { companyId, sealId }, await services.keys());
  const changed = [...Object.keys(fields), ...(secret === undefined ? [] : ["turnstile_secret"])];
  if (changed.length === 0) return row;
  const change = { ...UNCHANGED, ...fields, setsSecret: secret !== undefined, turnstile_secret_enc: sealed };
  return store(services, row, change, { action: "newsletter.updated", changes: { fields: changed }, actor });
}

/** Replaces the public key. The previous key stops working at once. Throws 404 when the newsletter was deleted in the meantime. */
export function rotatePublicKey(
  services: EmailServices,
  row: NewsletterRow,
  actor: AuditActor,
): Promise<NewsletterRow> {
  const change = { ...UNCHANGED, public_key: newPublicKey() };
  return store(services, row, change, { action: "newsletter.key_rotated", changes: {}, actor });
}

async function store(
  services: EmailServices,
  row: NewsletterRow,
  change: StoredChange,
  audit: { action: string; changes: Record<string, unknown>; actor: AuditActor },
): Promise<NewsletterRow> {
  const now = services.clock.now();
  const { id, company_id: companyId } = row;
  const entry = changeEntry({ ...audit, target: `newsletter:${id}`, companyId, now });
  const changed = await changeNewsletter(services.dbOf(companyId), row, change, { entry, now });
  if (changed === null) throw new Problem("newsletter_not_found");
  return changed;
}

/**
 * Deletes a newsletter with its subscribers and its template. Queue steps delete the subscribers of a large list. Throws 409
 * `conflict` while a broadcast to it is scheduled or being sent, and 404 when it does not exist any more.
 */
export async function removeNewsletter(services: EmailServices, row: NewsletterRow, actor: AuditActor): Promise<void> {
  const { id, company_id, confirmation_template_id: templateId, name } = row;
  const now = services.clock.now();
  const audit = { action: "newsletter.deleted", target: `newsletter:${id}`, changes: { name } };
  const entry = changeEntry({ ...audit, actor, companyId: company_id, now });
  const result = await deleteNewsletter(services.dbOf(company_id), { id, company_id, templateId }, { entry, now });
  if (result === "in_use") throw new Problem("conflict");
  if (result === "missing") throw new Problem("newsletter_not_found");
  if (result.hasMore) services.waitUntil(enqueueListSteps(services, "remove_subscribers", [{ id, company_id }]));
}
