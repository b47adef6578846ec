const system = Date;
let shiftMs = 0;

// Makes the Worker's clock adjustable, so that a benchmark can end rate limit windows and exceed retentions
// immediately.
globalThis.Date = class extends system {
  constructor(...values: [] | [number]) {
    super(...((values.length === 0 ? [system.now() + shiftMs] : values) as [number]));
  }
  static override now(): number {
    return system.now() + shiftMs;
  }
} as DateConstructor;

/** Sets this Worker's clock to `ms` ahead of the real time. */
export function shiftClock(ms: number): void {
  shiftMs = ms;
}
