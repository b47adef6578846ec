import type { Db } from "../../kit/db";
import { activeKeyOf, type ServiceClientRow } from "../clients/key.store";
import { type CompanyProviderRow, providerOfCompany } from "../sender/company-provider.store";
import { type LaneStateRow, pausesOf } from "../sender/pause.store";
import type { Lane } from "../services";
import { type SuppressionHit, suppressionsOf, type UnsubscribeHit, unsubscribesOf } from "./blocked.store";
import { profileOf } from "./company-name.store";
import { currentContentsOf, type DefaultContentKey } from "./content.store";
import { replayOf, type SendRequestRow } from "./idempotency.store";

/** What a submit asks about; values that the body does not give are neutral and find nothing. */
export type SubmitQuestion = {
  keyHash: string;
  companyId: number;
  idempotencyKey: string;
  /** unix ms: where the idempotency window starts */
  windowStart: number;
  eventType: string;
  lane: Lane;
  hashes: readonly string[];
  /** unix ms */
  now: number;
};

/** All that is known before a submit is judged. */
export type SubmitFacts = {
  key: ServiceClientRow | null;
  replay: SendRequestRow | null;
  provider: CompanyProviderRow | null;
  pauses: LaneStateRow[];
  storedName: string | null;
  contents: DefaultContentKey[];
  suppressions: SuppressionHit[];
  unsubscribes: UnsubscribeHit[];
};

type Rows = [
  ServiceClientRow,
  SendRequestRow,
  CompanyProviderRow,
  LaneStateRow,
  { name: string },
  DefaultContentKey,
  SuppressionHit,
  UnsubscribeHit,
];

/** Reads the credential and everything that the checks of a submit need, in one round trip (email details 17). */
export async function readSubmitFacts(db: Db, question: SubmitQuestion): Promise<SubmitFacts> {
  const { keyHash, companyId, idempotencyKey, windowStart, eventType, lane, now } = question;
  const hashes = JSON.stringify(question.hashes);
  const [key, replay, provider, pauses, profile, contents, suppressions, unsubscribes] = await db.batch<Rows>([
    activeKeyOf.bind(db, keyHash, now),
    replayOf.bind(db, keyHash, companyId, idempotencyKey, windowStart),
    providerOfCompany.bind(db, companyId),
    pausesOf.bind(db, lane, companyId),
    profileOf.bind(db, companyId),
    currentContentsOf.bind(db, eventType),
    suppressionsOf.bind(db, companyId, hashes, now),
    unsubscribesOf.bind(db, companyId, hashes),
  ]);
  return {
    key: key.results[0] ?? null,
    replay: replay.results[0] ?? null,
    provider: provider.results[0] ?? null,
    pauses: pauses.results,
    storedName: profile.results[0]?.name ?? null,
    contents: contents.results,
    suppressions: suppressions.results,
    unsubscribes: unsubscribes.results,
  };
}
