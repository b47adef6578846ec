import { DurableObject } from "cloudflare:workers";
import { clock } from "../../clock";

/** What started a run: a Cron Trigger, or a management command. */
export type Trigger = "scheduler" | "command";

/** Who has a lock; times are unix ms. */
export type Holder = { trigger: Trigger; host: string; acquired_at: number; expires_at: number };

/** `scheduled_time` is the cron's own, unix ms; runs of a command have none. */
export type AcquireRequest = { token: string; ttl_s: number; trigger: Trigger; host: string; scheduled_time?: number };

/** Refused, `holder` has the lock. With `is_tick_taken` nobody has: `holder` had it for this tick or a later one. */
export type Acquired = { ok: true; fence: number } | { ok: false; holder: Holder; is_tick_taken: boolean };

type Held = Holder & { token: string };
/** `scheduled_time` of the newest tick that was taken, and who took it. */
type Tick = { scheduled_time: number; holder: Holder };

/**
 * The lock of one job, or the heartbeat of one scheduler, by the object's name. The object runs one call at a time and
 * no call waits, so set-if-absent is one step; an answer leaves only after it is durable.
 */
export class JobLock extends DurableObject {
  /**
   * Takes the lock if nobody has it and, for a scheduler, if the tick is later than the last one taken. `fence` grows by
   * 1 with every acquisition and is never reset. A repeat by the holder answers what it was answered.
   */
  acquire({ token, ttl_s, trigger, host, scheduled_time }: AcquireRequest): Acquired {
    const { kv } = this.ctx.storage;
    const now = clock.now();
    const fence = kv.get<number>("fence") ?? 0;
    const held = kv.get<Held>("holder");
    if (held !== undefined && held.expires_at > now) {
      return held.token === token ? { ok: true, fence } : { ok: false, holder: toHolder(held), is_tick_taken: false };
    }
    const last = kv.get<Tick>("tick");
    if (scheduled_time !== undefined && last !== undefined && scheduled_time <= last.scheduled_time) {
      return { ok: false, holder: last.holder, is_tick_taken: true };
    }
    const holder: Holder = { trigger, host, acquired_at: now, expires_at: now + ttl_s * 1000 };
    kv.put<Held>("holder", { ...holder, token });
    kv.put("fence", fence + 1);
    if (scheduled_time !== undefined) kv.put<Tick>("tick", { scheduled_time, holder });
    return { ok: true, fence: fence + 1 };
  }

  /**
   * Holds the lock for `ttl_s` from now on. False when the token is not the holder's any more. A time that ended meanwhile
   * goes on: nobody else has had the lock, so the fence is still the holder's.
   */
  renew(token: string, ttl_s: number): boolean {
    const { kv } = this.ctx.storage;
    const held = kv.get<Held>("holder");
    if (held?.token !== token) return false;
    kv.put<Held>("holder", { ...held, expires_at: clock.now() + ttl_s * 1000 });
    return true;
  }

  /** Frees the lock when the token is the holder's. */
  release(token: string): void {
    const { kv } = this.ctx.storage;
    if (kv.get<Held>("holder")?.token === token) kv.delete("holder");
  }

  /** Who has the lock now, or null. */
  holder(): Holder | null {
    const held = this.ctx.storage.kv.get<Held>("holder");
    return held !== undefined && held.expires_at > clock.now() ? toHolder(held) : null;
  }

  ping(): "pong" {
    return "pong";
  }

  /** Notes that the scheduler published a job: unix seconds with three decimals. */
  beat(seconds: number): void {
    this.ctx.storage.kv.put(this.heartbeatKey(), seconds);
  }

  /** When the scheduler last published a job, or null before the first time. */
  lastBeat(): number | null {
    return this.ctx.storage.kv.get<number>(this.heartbeatKey()) ?? null;
  }

  /** `hosting-service:scheduler:beat:heartbeat`, with the prefix of the service. */
  private heartbeatKey(): string {
    return `${this.ctx.id.name}:heartbeat`;
  }
}

function toHolder({ trigger, host, acquired_at, expires_at }: Held): Holder {
  return { trigger, host, acquired_at, expires_at };
}
