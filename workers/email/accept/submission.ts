import type { SendRequestRow } from "../../../db/email/rows";
import { canonicalAddress, personalAddress } from "../../../schemas/address";
import { type CatalogEvent, findEvent } from "../../../schemas/email/catalog";
import { readBearer, unauthorized } from "../../kit/auth/caller";
import { sha256Hex } from "../../kit/crypto/hash";
import { attempt, settle } from "../../kit/http/call";
import { readJson } from "../../kit/http/request/body";
import { isAbsent, type JsonObject } from "../../kit/json";
import { invalid } from "../../kit/problem";
import { isServiceKey, mayAddress, readServiceClient, type ServiceClient, touchLater } from "../clients/service-client";
import type { EmailKeys } from "../keys";
import { Problem } from "../problem";
import { hashAddress, readAddress } from "../recipients/address";
import { chooseSender, findPause, type Sender, type SenderChoice } from "../sender/sender";
import type { EmailServices } from "../services";
import { type ChosenLanguage, type PinnedContent, pinContent } from "../templates/content";
import {
  checkDepth,
  checkLane,
  readCompanyId,
  readIdempotencyKey,
  readLanguage,
  readTtlMs,
  readUsePlatformSender,
} from "./fields";
import { checkFingerprint, fingerprintRequest, type Idempotency } from "./idempotency";
import type { Demand } from "./limits";
import { readSubmitFacts, type SubmitFacts } from "./submission.store";

/** The paths of sending. */
export type SubmitPath = "/api/v1/send" | "/api/v1/send/batch";

type Opening = { path: SubmitPath; limit: number; addresses: (body: JsonObject) => unknown[] };

/** A request whose credential, company, key and event are judged, with everything that the later checks need. */
export type SubmitContext = {
  path: SubmitPath;
  body: JsonObject;
  client: ServiceClient;
  companyId: number;
  event: CatalogEvent;
  idempotency: Idempotency | null;
  fingerprints: readonly string[];
  facts: SubmitFacts;
  keys: EmailKeys;
  /** hashes by each pepper, the present one first, of every readable address */
  hashes: ReadonlyMap<string, readonly string[]>;
  /** the hash of the personal address of every readable address */
  persons: ReadonlyMap<string, string>;
  /** unix ms; the time of acceptance */
  now: number;
};

/** An opened request: a context, or the stored request to answer with. */
export type Opened = { kind: "context"; context: SubmitContext } | { kind: "replay"; row: SendRequestRow };

/**
 * Judges, in this order, credential, body, company, idempotency key, event and lane. The facts are read before they are
 * judged, so that a submit costs one round trip until it is stored.
 */
export async function openSubmit(request: Request, services: EmailServices, opening: Opening): Promise<Opened> {
  const bearer = readBearer(request);
  if (!isServiceKey(bearer)) throw unauthorized();
  const sent = await attempt(() => readJson(request, { limit: opening.limit }));
  const keys = await services.keys();
  const now = services.clock.now();
  const windowStart = now - services.settings.idempotencyMs;
  const body = orNull(() => {
    const value = settle(sent);
    checkDepth(value);
    return value;
  });
  const probe = body ?? {};
  const event = orNull(() => findTemplate(probe));
  const addresses = readAddresses(body === null ? [] : opening.addresses(body));
  const hashes = await hashAddresses(addresses, keys);
  const persons = await hashPersons(hashes, keys);
  const facts = await readSubmitFacts(services.db, {
    keyHash: await sha256Hex(bearer),
    companyId: orNull(() => readCompanyId(probe)) ?? 0,
    idempotencyKey: orNull(() => readIdempotencyKey(probe)) ?? "",
    windowStart,
    eventType: event?.event_type ?? "",
    language: orNull(() => readLanguage(probe))?.value ?? "en",
    lane: event?.lane_class ?? "transactional",
    hashes: [...hashes.values()].flat(),
    now,
  });
  const client = readServiceClient(facts.key);
  if (client === null) throw unauthorized();
  touchLater(services, client, now);
  const checked = settle(sent);
  checkDepth(checked);
  const companyId = readCompanyId(checked);
  if (!mayAddress(client, companyId)) throw new Problem("company_mismatch");
  const key = readIdempotencyKey(checked);
  const fingerprints = key === null ? [] : await fingerprintRequest(opening.path, checked, keys);
  if (facts.replay !== null && key !== null) {
    checkFingerprint(facts.replay.fingerprint, fingerprints);
    return { kind: "replay", row: facts.replay };
  }
  const template = findTemplate(checked);
  checkLane(checked, template, client);
  const idempotency =
    key === null
      ? null
      : { key, fingerprint: fingerprints[0] ?? "", windowStart, turn: await sha256Hex(`${client.service}\n${key}`) };
  const { path } = opening;
  const context = { path, body: checked, client, companyId, event: template, idempotency, fingerprints };
  return { kind: "context", context: { ...context, facts, keys, hashes, persons, now } };
}

/** How the request wants its mail. */
export type SubmitOptions = {
  language: ChosenLanguage;
  ttlMs: number | null;
  usePlatformSender: boolean;
};

/** Language, life and sender that the request asks for; refuses what the event does not allow. */
export function readOptions({ body, event, client }: SubmitContext, services: EmailServices): SubmitOptions {
  const language = readLanguage(body);
  const ttlMs = readTtlMs(body, event, services.settings);
  return { language, ttlMs, usePlatformSender: readUsePlatformSender(body, event, client) };
}

/** The lane runs, somebody can send, there is something to say; answers sender and content. */
export async function requireSendable(
  context: SubmitContext,
  options: SubmitOptions,
  services: EmailServices,
): Promise<{ sender: Sender; content: PinnedContent }> {
  const { companyId, event, facts, keys } = context;
  const choice = await chooseSender(
    {
      lane: event.lane_class,
      companyId,
      usePlatformSender: options.usePlatformSender,
      hasPlatform: event.platform_sender,
      providerRow: facts.provider,
    },
    services.settings,
    keys,
  );
  const sender = takeSender(choice, facts);
  const { language, usePlatformSender } = options;
  const content = pinContent({
    ...{ event, language, defaults: facts.contents, authLinkHosts: services.settings.authLinkHosts },
    // Mail to the staff of the platform is no company's.
    ...(usePlatformSender ? { copy: null, withoutCopy: "platform_sender" } : { copy: facts.copy }),
  });
  if (content === null) throw new Problem("library_not_synced");
  return { sender, content };
}

function takeSender(choice: SenderChoice, facts: SubmitFacts): Sender {
  const pause = findPause(facts.pauses, choice.ok ? choice.sender : null);
  if (pause !== null) {
    // 60 s for the pause by staff for all, 300 s for one of this company.
    const seconds = pause.company_id === 0 ? 60 : 300;
    throw new Problem("lane_paused", { headers: { "retry-after": String(seconds) } });
  }
  if (!choice.ok) throw new Problem(choice.code);
  return choice.sender;
}

/** The catalog entry; 400 `template_key: [required]`, 404 `template_not_found`. */
function findTemplate(body: JsonObject): CatalogEvent {
  const key = body.template_key;
  if (isAbsent(key) || key === "") throw invalid({ template_key: ["required"] });
  if (typeof key !== "string") throw invalid({ template_key: ["invalid"] });
  const event = findEvent(key);
  if (event === undefined) throw new Problem("template_not_found");
  return event;
}

/** The value, or null where the check that comes later will refuse it. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** What a request asks of the limits for a message to each of these addresses of it. */
export function demandOf(context: SubmitContext, addresses: readonly string[]): Demand {
  const { companyId, event, idempotency, hashes, persons, now } = context;
  const apart = event.counts_apart ? event.event_type : null;
  const people = addresses.map((address) => {
    const person = persons.get(address) ?? "";
    const counter = apart === null ? person : `${apart}:${person}`;
    return { hash: hashes.get(address)?.[0] ?? "", person, counter };
  });
  return { companyId, lane: event.lane_class, apart, people, turn: idempotency?.turn ?? null, now };
}

function readAddresses(texts: unknown[]): string[] {
  return [...new Set(texts.flatMap((text) => (typeof text === "string" ? (readAddress(text) ?? []) : [])))];
}

async function hashAddresses(addresses: string[], keys: EmailKeys): Promise<Map<string, readonly string[]>> {
  const entries = await Promise.all(
    addresses.map(async (address): Promise<[string, string[]]> => {
      return [address, await Promise.all(keys.peppers.map((pepper) => hashAddress(pepper, address)))];
    }),
  );
  return new Map(entries);
}

async function hashPersons(
  hashes: ReadonlyMap<string, readonly string[]>,
  { peppers: [pepper] }: EmailKeys,
): Promise<Map<string, string>> {
  if (pepper === undefined) throw new Error("there is no pepper");
  const entries = await Promise.all(
    [...hashes].map(async ([address, [hash = ""]]): Promise<[string, string]> => {
      const personal = personalAddress(address);
      return [address, personal === canonicalAddress(address) ? hash : await hashAddress(pepper, personal)];
    }),
  );
  return new Map(entries);
}
