const system = Date;
let shiftMs = 0;

// The clock of the Worker can be put forward, so that windows end and rows outlive their retention at once.
globalThis.Date = class extends system {
  constructor(...values: [] | [number]) {
    super(...((values.length === 0 ? [system.now() + shiftMs] : values) as [number]));
  }
  static override now(): number {
    return system.now() + shiftMs;
  }
} as DateConstructor;

/** Puts the clock of this Worker forward to `ms` from now. */
export function shiftClock(ms: number): void {
  shiftMs = ms;
}
