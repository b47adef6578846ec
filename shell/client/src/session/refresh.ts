import type { Adapter, Tokens } from "./adapters/adapter.ts";
import { readClaims } from "./adapters/claims.ts";
import { type ServiceError, toServiceError } from "./service-error.ts";
import type { Lock } from "./tabs/lock.ts";
import type { Records, SessionRecord } from "./tabs/record.ts";

/** Outcome of a refresh. */
export type Outcome =
  /** a new token pair, already stored */
  | { kind: "rotated"; record: SessionRecord; tokens: Tokens }
  /** another tab refreshed first; its token arrives on the channel */
  | { kind: "newer"; record: SessionRecord }
  /** another tab held the lock; its record may not be visible here yet, but its token arrives on the channel */
  | { kind: "waited" }
  /** the record was removed or marked as ended elsewhere */
  | { kind: "gone" }
  | { kind: "ended" }
  /** the record belongs to another company */
  | { kind: "dropped" }
  /** the service denies access; the session remains */
  | { kind: "pending"; code: string }
  /** no response, or an error that may be temporary; `wait` is the delay in seconds that the service requested */
  | { kind: "later"; wait: number | null };

type Parts = { adapter: Pick<Adapter, "refresh">; records: Records; lock: Lock };

/**
 * Refreshes the session once. The lock covers only the request and the write of the record, so that other tabs wait as little
 * as possible. `tokenGeneration` is the generation of the caller's token; each refresh increases the generation of the record.
 */
export function refreshOnce({ adapter, records, lock }: Parts, tokenGeneration: number): Promise<Outcome> {
  return lock(async (hasWaited): Promise<Outcome> => {
    if (hasWaited) return { kind: "waited" };
    const sent = records.read();
    if (sent === null || sent.refreshToken === null) return { kind: "gone" };
    if (sent.generation > tokenGeneration) return { kind: "newer", record: sent };
    try {
      const tokens = await adapter.refresh(sent.refreshToken);
      const { user } = readClaims(tokens.accessToken);
      const current = records.read();
      // A sign-out or another sign-in happened during the request.
      if (current?.refreshToken !== sent.refreshToken) return outcomeOfRecord(current);
      const record = { ...sent, generation: sent.generation + 1, refreshToken: tokens.refreshToken, user };
      records.write(record);
      return { kind: "rotated", record, tokens };
    } catch (error) {
      return outcomeOfError(toServiceError(error), sent, records);
    }
  });
}

const outcomeOfRecord = (record: SessionRecord | null): Outcome =>
  record === null || record.refreshToken === null ? { kind: "gone" } : { kind: "newer", record };

/** Returns the outcome for an error and updates the record. Does not update it if the sent token is no longer stored. */
function outcomeOfError({ code, status, retryAfter }: ServiceError, sent: SessionRecord, records: Records): Outcome {
  const isEnded = status === 401 || (status === 400 && (code === "validation_failed" || code === "invalid_grant"));
  if (!isEnded && code !== "company_mismatch") {
    if (status === 403) return { kind: "pending", code };
    return { kind: "later", wait: retryAfter };
  }
  const current = records.read();
  if (current?.refreshToken !== sent.refreshToken) return outcomeOfRecord(current);
  if (code === "company_mismatch") {
    records.clear();
    return { kind: "dropped" };
  }
  records.write({ generation: sent.generation + 1, refreshToken: null, user: null });
  return { kind: "ended" };
}

/** Returns how long before expiry to renew a token, ms: 90 s, or half of the lifetime if that is under 180 s. */
export const renewalLead = (life: number): number => (life < 180_000 ? life / 2 : 90_000);

/** Returns the delay before a retry, ms: 2, 4, 8 up to 60 s. */
export const retryDelay = (attempt: number): number => Math.min(60_000, 2_000 * 2 ** attempt);
