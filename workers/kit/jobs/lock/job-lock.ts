import { DurableObject } from "cloudflare:workers";
import { clock } from "../../clock";

/** The trigger of a run: a Cron Trigger or a management command. */
export type Trigger = "scheduler" | "command";

/** The holder of a lock; times are unix ms. */
export type Holder = { trigger: Trigger; host: string; acquired_at: number; expires_at: number };

/** A request for the lock. `scheduled_time` is the time of the Cron Trigger in unix ms; runs of a command have none. */
export type AcquireRequest = { token: string; ttl_s: number; trigger: Trigger; host: string; scheduled_time?: number };

/**
 * The result of an acquisition. When it fails, `holder` has the lock. With `is_tick_taken` the lock is free, but
 * `holder` already held it for this tick or a later one.
 */
export type Acquired = { ok: true; fence: number } | { ok: false; holder: Holder; is_tick_taken: boolean };

type Held = Holder & { token: string };
/** The latest tick for which the lock was acquired, and its holder at that time. */
type Tick = { scheduled_time: number; holder: Holder };

/**
 * The lock of one job or the heartbeat of one scheduler, depending on the object's name. The object runs one call at a
 * time and no call awaits, so set-if-absent is atomic. A response leaves only after the write is durable.
 */
export class JobLock extends DurableObject {
  /**
   * Acquires the lock if it is free and, for a scheduler, if the tick is later than the last acquired one. `fence`
   * grows by 1 with every acquisition and is never reset. When the holder repeats its call, it gets the first result
   * again.
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
   * Extends the lock to `ttl_s` seconds from now. Returns false when another run has acquired the lock or it was
   * released. An expired lock can be renewed as long as no other run acquired it, because the holder's fence is still
   * the latest.
   */
  renew(token: string, ttl_s: number): boolean {
    const { kv } = this.ctx.storage;
    const held = kv.get<Held>("holder");
    if (held?.token !== token) return false;
    kv.put<Held>("holder", { ...held, expires_at: clock.now() + ttl_s * 1000 });
    return true;
  }

  /** Releases the lock if the token is the holder's. */
  release(token: string): void {
    const { kv } = this.ctx.storage;
    if (kv.get<Held>("holder")?.token === token) kv.delete("holder");
  }

  /** Returns the current holder, or null. */
  holder(): Holder | null {
    const held = this.ctx.storage.kv.get<Held>("holder");
    return held !== undefined && held.expires_at > clock.now() ? toHolder(held) : null;
  }

  ping(): "pong" {
    return "pong";
  }

  /** Records that the scheduler published a job: unix seconds with three decimals. */
  beat(seconds: number): void {
    this.ctx.storage.kv.put(this.heartbeatKey(), seconds);
  }

  /** Returns the time when the scheduler last published a job, or null when it never did. */
  lastBeat(): number | null {
    return this.ctx.storage.kv.get<number>(this.heartbeatKey()) ?? null;
  }

  /** Returns the key of the heartbeat, such as `hosting-service:scheduler:beat:heartbeat`. */
  private heartbeatKey(): string {
    return `${this.ctx.id.name}:heartbeat`;
  }
}

function toHolder({ trigger, host, acquired_at, expires_at }: Held): Holder {
  return { trigger, host, acquired_at, expires_at };
}
