import type { SendRequestRow } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/catalog";
import type { EmailLanguage } from "../../../../schemas/email/catalog-texts";
import type { Lane } from "../../../../schemas/email/lanes";
import { readBearer, unauthorized } from "../../../kit/auth/caller";
import { sha256Hex } from "../../../kit/crypto/hash";
import type { BatchItem, BatchResults } from "../../../kit/db/db";
import { readJson } from "../../../kit/http/request/body";
import { tryParseAsync, unwrap } from "../../../kit/http/request/parsed";
import type { JsonObject } from "../../../kit/json";
import type { EmailKeys } from "../../keys";
import { Problem } from "../../problem";
import {
  isServiceKey,
  mayAddress,
  readServiceClient,
  type ServiceClient,
  touchLater,
} from "../../records/clients/service-client";
import type { EmailServices } from "../../services";
import { checkDepth, readCompanyId, readIdempotencyKey, readLanguage } from "./fields";
import { checkFingerprint, fingerprintRequest, type Idempotency } from "./idempotency";
import { findPeople, type People } from "./people";
import { copyOf, readSubmitFacts, type SubmitFacts, suppressionReads } from "./submission.store";

/** The paths by which mail is asked for. */
export type SubmitPath = "/api/v1/send" | "/api/v1/send/batch" | "/api/v1/events";

/** What a body asks about; neutral where it cannot be read, which is told later. */
type Asked = { companyId: number; eventType: string; lane: Lane; language: EmailLanguage };

/** What is a path's own: its reads join the round trip of the credential. */
type Opening<R extends Record<string, BatchItem>> = {
  path: SubmitPath;
  /** bytes of the body */
  limit: number;
  /** addresses of the body, right or wrong */
  addresses: (body: JsonObject) => unknown[];
  /** the event that the body names; throws where it names none */
  findEvent: (body: JsonObject) => CatalogEvent;
  /** the event as this key may use it; throws where it may not */
  admit: (body: JsonObject, client: ServiceClient) => CatalogEvent;
  reads: (asked: Asked) => R;
};

/** A request whose credential, company, key and event are judged, with everything that the later checks need. */
export type SubmitContext = People & {
  path: SubmitPath;
  body: JsonObject;
  client: ServiceClient;
  companyId: number;
  event: CatalogEvent;
  idempotency: Idempotency | null;
  fingerprints: readonly string[];
  facts: SubmitFacts;
  keys: EmailKeys;
  /** unix ms; the time of acceptance */
  now: number;
};

/** An opened request: a context and what its path has read, or the stored request to answer with. */
export type Opened<R extends Record<string, BatchItem>> =
  | { kind: "context"; context: SubmitContext; results: BatchResults<R> }
  | { kind: "replay"; row: SendRequestRow };

/**
 * Judges, in this order, credential, body, company, idempotency key, event and lane. The facts are read before they are
 * judged, so that a submit costs one round trip until it is stored.
 */
export async function openSubmit<R extends Record<string, BatchItem>>(
  request: Request,
  services: EmailServices,
  opening: Opening<R>,
): Promise<Opened<R>> {
  const bearer = readBearer(request);
  if (!isServiceKey(bearer)) throw unauthorized();
  const sent = await tryParseAsync(() => readJson(request, { limit: opening.limit }));
  const keys = await services.keys();
  const now = services.clock.now();
  const windowStart = now - services.settings.idempotencyMs;
  const body = orNull(() => {
    const value = unwrap(sent);
    checkDepth(value);
    return value;
  });
  const probe = body ?? {};
  const named = orNull(() => opening.findEvent(probe));
  const people = await findPeople(body === null ? [] : opening.addresses(body), keys);
  const asked: Asked = {
    companyId: orNull(() => readCompanyId(probe)) ?? 0,
    eventType: named?.event_type ?? "",
    lane: named?.lane_class ?? "transactional",
    language: orNull(() => readLanguage(probe))?.value ?? "en",
  };
  const question = {
    ...{ keyHash: await sha256Hex(bearer), idempotencyKey: orNull(() => readIdempotencyKey(probe)) ?? "" },
    ...{ windowStart, hashes: [...people.hashes.values()].flat(), now },
    ...{ companyId: asked.companyId, eventType: asked.eventType, lane: asked.lane },
  };
  const { facts, results } = await readSubmitFacts(services.dbOf(asked.companyId), question, opening.reads(asked));
  const client = readServiceClient(facts.key);
  if (client === null) throw unauthorized();
  touchLater(services, client, now);
  const checked = unwrap(sent);
  checkDepth(checked);
  const companyId = readCompanyId(checked);
  if (!mayAddress(client, companyId)) throw new Problem("company_mismatch");
  const key = readIdempotencyKey(checked);
  const fingerprints = key === null ? [] : await fingerprintRequest(opening.path, checked, keys);
  if (facts.replay !== null && key !== null) {
    checkFingerprint(facts.replay.fingerprint, fingerprints);
    return { kind: "replay", row: facts.replay };
  }
  const event = opening.admit(checked, client);
  const idempotency =
    key === null
      ? null
      : { key, fingerprint: fingerprints[0] ?? "", windowStart, turn: await sha256Hex(`${client.service}\n${key}`) };
  const { path } = opening;
  const context = { path, body: checked, client, companyId, event, idempotency, fingerprints };
  return { kind: "context", context: { ...context, ...people, facts, keys, now }, results };
}

/** The read of the copy that a direct send is made of, and what it answers. */
export const copyRead = ({ lane, ...asked }: Asked) => ({ copy: copyOf(lane, asked) });
export type CopyRead = BatchResults<ReturnType<typeof copyRead>>;

/** The reads of what keeps mail from addresses that are known only after the request was opened, by their hashes. */
export const lateReads = ({ companyId, now }: SubmitContext, hashes: readonly string[]) =>
  suppressionReads({ companyId, hashes, now });

/** The value, or null where the check that comes later will refuse it. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
