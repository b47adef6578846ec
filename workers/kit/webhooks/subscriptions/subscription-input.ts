import type * as z from "zod";
import type { RuleRow } from "../../../../db/kit/webhooks";
import type { FieldErrors } from "../../../../schemas/errors";
import { rotateBody, ruleBody, ruleChange } from "../../../../schemas/webhooks/subscriptions";
import { fieldErrors } from "../../http/request/parse";
import { invalid, Problem } from "../../problem";
import type { WebhookCaller } from "../api";
import type { WebhooksContext } from "../context";
import { type EventCatalog, offeredTypes } from "../events/catalog";
import { isSecret } from "../posting/signing-secret";
import { readTarget, resolverOf, type Target } from "../posting/target";

type Body = Record<string, unknown>;

/** Throws a 403 that names the field when a caller who is not staff requests private targets. */
export function refusePrivateTargets(caller: WebhookCaller, bodyFields: Body): void {
  if (caller.isStaff || bodyFields.allow_private_urls !== true) return;
  throw new Problem("forbidden", { field_errors: { allow_private_urls: ["staff_only"] } });
}

/** Returns the event types that subscriptions may have, including those that new subscriptions may not use. */
export const ruleTypes = ({ events }: EventCatalog): string[] =>
  events.flatMap(({ type, audience }) => (audience === "webhook" ? type : []));

/** Returns whether subscriptions may have the event type. New subscriptions may use only the offered types. */
export function isRuleType({ events }: EventCatalog, type: string): boolean {
  return events.some((entry) => entry.type === type && entry.audience === "webhook");
}

/** Reads the fields of a new subscription; throws a 400 that lists all invalid fields. */
export async function readNewRule(
  context: WebhooksContext,
  catalog: EventCatalog,
  body: Body,
): Promise<z.output<typeof ruleBody> & { target: Target }> {
  const parsed = ruleBody.safeParse(body);
  const fields = parsed.success ? {} : fieldErrors(parsed.error, body);
  const isOffered = offeredTypes(catalog).some((type) => type === body.event_type);
  if (!fields.event_type && !isOffered) fields.event_type = ["unknown"];
  validateSecret(fields, body);
  const target = await validateUrl(context, fields, body.url, body.allow_private_urls === true);
  if (!parsed.success || target === null || Object.keys(fields).length > 0) throw invalid(fields);
  return { ...parsed.data, target };
}

/**
 * Reads the fields of a changed subscription; throws a 400 that lists all invalid fields. The URL is checked when the
 * request contains one, or when it revokes the permission for private targets.
 */
export async function readRuleChange(
  context: WebhooksContext,
  caller: WebhookCaller,
  rule: RuleRow,
  body: Body,
): Promise<z.output<typeof ruleChange> & { target: Target | null }> {
  const parsed = ruleChange.safeParse(body);
  const fields = parsed.success ? {} : fieldErrors(parsed.error, body);
  validateSecret(fields, body);
  const hasUrl = body.url !== undefined;
  const canKeepPrivate = rule.allow_private_urls && (caller.isStaff || !hasUrl || isSameUrl(body.url, rule.url));
  const allowPrivate = typeof body.allow_private_urls === "boolean" ? body.allow_private_urls : canKeepPrivate;
  const mustValidateUrl = hasUrl || (rule.allow_private_urls && !allowPrivate);
  const target = mustValidateUrl ? await validateUrl(context, fields, body.url ?? rule.url, allowPrivate) : null;
  if (!parsed.success || Object.keys(fields).length > 0) throw invalid(fields);
  return { ...parsed.data, target: hasUrl ? target : null };
}

/**
 * Reads the new secret of a rotation (an empty one is generated) and its overlap. Throws a 400 that lists all invalid
 * fields.
 */
export function readRotation(body: Body): z.output<typeof rotateBody> {
  const parsed = rotateBody.safeParse(body);
  const fields = parsed.success ? {} : fieldErrors(parsed.error, body);
  validateSecret(fields, body);
  if (!parsed.success || Object.keys(fields).length > 0) throw invalid(fields);
  return parsed.data;
}

/** Returns whether the text is the stored URL, possibly in another spelling. */
function isSameUrl(text: unknown, stored: string): boolean {
  const url = URL.parse(String(text));
  if (url) url.hash = "";
  return url?.href === stored;
}

function validateSecret(fields: FieldErrors, { secret }: Body): void {
  if (typeof secret === "string" && secret !== "" && !isSecret(secret)) fields.secret = ["invalid"];
}

/** Returns the target of a URL. When the URL is not allowed, adds its field code and returns null. */
async function validateUrl(
  context: WebhooksContext,
  fields: FieldErrors,
  url: unknown,
  allowPrivate: boolean,
): Promise<Target | null> {
  if (fields.url || typeof url !== "string") return null;
  const read = await readTarget(url, {
    allowPrivate: allowPrivate || context.settings.allowPrivate,
    resolve: resolverOf(context),
  });
  if (read.ok) return read.target;
  fields.url = [read.code];
  return null;
}
