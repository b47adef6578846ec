import type { Adapter, Tokens } from "./adapters/adapter.ts";
import { readClaims } from "./adapters/claims.ts";
import { type ServiceError, toServiceError } from "./service-error.ts";
import type { Lock } from "./tabs/lock.ts";
import type { Records, SessionRecord } from "./tabs/record.ts";

/** What came of a refresh. */
export type Outcome =
  /** a new pair, written already */
  | { kind: "rotated"; record: SessionRecord; tokens: Tokens }
  /** another tab was faster: its token comes by the channel */
  | { kind: "newer"; record: SessionRecord }
  /** another tab had its turn: what it stored may not have come here yet, what it says by the channel does */
  | { kind: "waited" }
  /** the record is gone or says that the session ended: somebody else saw to it */
  | { kind: "gone" }
  | { kind: "ended" }
  /** the record is for another company */
  | { kind: "dropped" }
  /** no access for now; the session stays */
  | { kind: "pending"; code: string }
  /** no answer, or not now; `wait` in seconds where the service named it */
  | { kind: "later"; wait: number | null };

type Parts = { adapter: Pick<Adapter, "refresh">; records: Records; lock: Lock };

/**
 * Renews the session once. Inside the lock there is the one call and the write of the record, and nothing else: no tab waits for
 * more than that. `known` is the generation whose token the caller has.
 */
export function refreshOnce({ adapter, records, lock }: Parts, knownGeneration: number): Promise<Outcome> {
  return lock(async (hasWaited): Promise<Outcome> => {
    if (hasWaited) return { kind: "waited" };
    const before = records.read();
    if (before === null || before.refreshToken === null) return { kind: "gone" };
    if (before.generation > knownGeneration) return { kind: "newer", record: before };
    try {
      const tokens = await adapter.refresh(before.refreshToken);
      const { user } = readClaims(tokens.accessToken);
      const now = records.read();
      // Somebody signed out, or in as another one, while the call was on its way.
      if (now?.refreshToken !== before.refreshToken) return outcomeOfRecord(now);
      const record = { ...before, generation: before.generation + 1, refreshToken: tokens.refreshToken, user };
      records.write(record);
      return { kind: "rotated", record, tokens };
    } catch (error) {
      return outcomeOfError(toServiceError(error), before, records);
    }
  });
}

const outcomeOfRecord = (now: SessionRecord | null): Outcome =>
  now === null || now.refreshToken === null ? { kind: "gone" } : { kind: "newer", record: now };

/** What a refusal means for the session. One whose token was sent and is no longer stored means nothing. */
function outcomeOfError({ code, status, retryAfter }: ServiceError, sent: SessionRecord, records: Records): Outcome {
  const isEnded = status === 401 || (status === 400 && (code === "validation_failed" || code === "invalid_grant"));
  if (!isEnded && code !== "company_mismatch") {
    if (status === 403) return { kind: "pending", code };
    return { kind: "later", wait: retryAfter };
  }
  const now = records.read();
  if (now?.refreshToken !== sent.refreshToken) return outcomeOfRecord(now);
  if (code === "company_mismatch") {
    records.clear();
    return { kind: "dropped" };
  }
  records.write({ generation: sent.generation + 1, refreshToken: null, user: null });
  return { kind: "ended" };
}

/** When a token is renewed, in ms before its end: 90 s, or half of a life that is under 180 s. */
export const renewalLead = (life: number): number => (life < 180_000 ? life / 2 : 90_000);

/** Waits between attempts that got no answer, in ms: 2, 4, 8 up to 60 s. */
export const retryDelay = (attempt: number): number => Math.min(60_000, 2_000 * 2 ** attempt);
