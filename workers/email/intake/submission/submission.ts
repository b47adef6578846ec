import type { SendRequestRow } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { BatchItem, BatchResults } from "../../../kit/db/db";
import { type Parsed, unwrap } from "../../../kit/http/request/parsed";
import type { JsonObject } from "../../../kit/json";
import type { ChosenLanguage } from "../../content/documents/content";
import { contentKeyOf, resolveEvent, selectOwnType } from "../../content/event-types/own-event";
import type { Sender } from "../../delivery/sender/sender";
import type { EmailKeys } from "../../keys";
import { Problem } from "../../problem";
import { admitKey, requireActive } from "../../records/clients/caller";
import { canSendFor, type ServiceClient } from "../../records/clients/service-client";
import type { EmailServices } from "../../services";
import type { Origin } from "../acceptance/acceptance";
import { checkFingerprint, idempotencyOf, selectReplay } from "../acceptance/idempotency";
import type { LimitedAcceptance } from "../acceptance/reserved";
import { hashPeople, type People } from "./people";
import {
  readSubmitFacts,
  type SubmitFacts,
  selectCustomTemplate,
  selectSendable,
  selectSuppressions,
} from "./submission.store";
import { type PathFields, type PathReader, parseSubmission, type StatementInput } from "./submission-body";

/** The API paths that send mail. */
export type SubmitPath =
  | "/api/v1/send"
  | "/api/v1/send/batch"
  | "/api/v1/events"
  | "/api/v1/emails"
  | "/api/v1/emails/batch";

/**
 * The parts of the checks that differ between the API paths. `reads` returns statements that run in the round trip that
 * verifies the service key.
 */
type Opening<F extends PathFields, R extends Record<string, BatchItem>> = PathReader<F> & {
  path: SubmitPath;
  /**
   * Returns the event of `findEvent`, which throws for an invalid field and returns undefined when neither the platform nor the
   * company has the event. Throws when this key may not use the event.
   */
  admit: (findEvent: () => CatalogEvent | undefined, submitted: Submitted<F>) => CatalogEvent;
  reads: (statementInput: StatementInput) => R;
};

/** The fields and the body of a request, and the client of its service key. */
export type Submitted<F> = { fields: F; body: JsonObject; client: ServiceClient };

/** A request with valid service key, company, idempotency key and event, and the facts for later checks. */
export type SubmitContext = People & {
  origin: Origin;
  body: JsonObject;
  language: Parsed<ChosenLanguage>;
  client: ServiceClient;
  event: CatalogEvent;
  facts: SubmitFacts;
  keys: EmailKeys;
};

/** The result of openSubmit: a context with the fields and read results of the API path, or the stored request to replay. */
export type Opened<F, R extends Record<string, BatchItem>> =
  | { kind: "context"; context: SubmitContext; fields: F; results: BatchResults<R> }
  | { kind: "replay"; row: SendRequestRow };

/**
 * Checks the service key, body, company, idempotency key, event and lane, in this order. A service key that this isolate has
 * not verified recently takes a separate round trip before the body is read. One round trip reads all facts for the checks.
 */
export async function openSubmit<F extends PathFields, R extends Record<string, BatchItem>>(
  request: Request,
  services: EmailServices,
  opening: Opening<F, R>,
): Promise<Opened<F, R>> {
  const { hash, soleCompany } = await admitKey(request, services);
  const { statementInput, ...submission } = await parseSubmission(request, opening, soleCompany);
  const keys = await services.keys();
  const now = services.clock.now();
  const windowStart = now - services.settings.idempotencyMs;
  const people = await hashPeople(statementInput.addresses, keys);
  const { companyId: statedCompany, idempotencyKey: statedKey, eventType, lane } = statementInput;
  const contentKey = contentKeyOf(eventType, statedCompany);
  const { facts, results } = await readSubmitFacts(
    services.dbOf(statedCompany),
    { companyId: statedCompany, contentKey, lane, keyHash: hash, hashes: [...people.hashes.values()].flat(), now },
    {
      replay: selectReplay({ keyHash: hash, companyId: statedCompany, key: statedKey, windowStart }),
      ownType: selectOwnType(statementInput.event, statedCompany),
    },
    opening.reads(statementInput),
  );
  const client = await requireActive(request, services, { hash, row: facts.key });
  const body = unwrap(submission.body);
  const fields = unwrap(submission.fields);
  const companyId = unwrap(submission.companyId);
  if (!canSendFor(client, companyId)) throw new Problem("company_mismatch");
  const { service, id: clientId } = client;
  const { path } = opening;
  const key = unwrap(submission.idempotencyKey);
  const idempotency = key === null ? null : await idempotencyOf({ service, path, body, key, windowStart }, keys);
  if (facts.replay !== null && idempotency !== null) {
    checkFingerprint(facts.replay.fingerprint, idempotency);
    return { kind: "replay", row: facts.replay };
  }
  const event = opening.admit(() => resolveEvent(unwrap(fields.event), { first: facts.ownType }), {
    fields,
    body,
    client,
  });
  const language = withDefaultOf(event, submission.language);
  const origin = { companyId, service, clientId, idempotency, now };
  const context = { ...people, origin, body, language, client, event, facts, keys };
  return { kind: "context", context, fields, results };
}

/** Returns the language of a request. Without one in the request, own events have a default language. */
function withDefaultOf({ own }: CatalogEvent, language: Parsed<ChosenLanguage>): Parsed<ChosenLanguage> {
  if (own === undefined || !language.ok || language.value.source === "request") return language;
  return { ok: true, value: { ...language.value, value: own.default_language } };
}

/** Returns the statement that reads the custom template of a direct send. */
export const selectCustomTemplateOf = ({ lane, companyId, eventType, language }: StatementInput) => ({
  customTemplate: selectCustomTemplate(lane, { companyId, eventType, language }),
});
export type CustomTemplateResults = BatchResults<ReturnType<typeof selectCustomTemplateOf>>;

/** Returns the statements that read suppressions and unsubscribes for the addresses of rules, which are loaded later. */
export const selectLateSuppressions = ({ origin: { companyId, now } }: SubmitContext, hashes: readonly string[]) =>
  selectSuppressions({ companyId, hashes, now });

/** Returns the statements that read what sender and content of mail about an event depend on, without a request. */
export const selectSendableFacts = (filter: Parameters<typeof selectSendable>[0]) => selectSendable(filter);

/** Returns the acceptance of a request with this sender and TTL. */
export function acceptanceOf(
  { origin, event }: SubmitContext,
  { sender, ttlMs }: { sender: Sender; ttlMs: number | null },
): LimitedAcceptance {
  const { event_type: eventType, lane_class: lane, has_separate_limit: hasSeparateLimit } = event;
  return { origin, kind: { eventType, lane, category: lane, hasSeparateLimit }, sender, ttlMs };
}
