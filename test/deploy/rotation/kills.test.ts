import { expect, it } from "vitest";
import type { Rotation } from "../../../scripts/deploy/rotation/plan.ts";
import { services } from "../../../scripts/support/services.ts";
import { unknownServiceKeys } from "../../support/cloudflare/public-web.ts";
import { DAY_MS, type Flags, openDeployment } from "../../support/cloudflare/rotations.ts";

it.each<[Rotation, Flags]>([
  ["jwt", {}],
  ["jwt", { isFinished: true }],
  ["jwt", { isLeaked: true }],
  ["seal", {}],
  ["seal", { isFinished: true }],
  ["seal", { isLeaked: true }],
  ["pepper", {}],
  ["pepper", { isFinished: true }],
  ["operator", {}],
  ["service-key", {}],
  ["service-key", { isLeaked: true }],
  ["provider", { env: { EMAIL_HOST_PASSWORD: "second" } }],
])("continues the rotation %s %o, cut at any call, with the same values", async (what, flags) => {
  const ends: (() => void | Promise<void>)[] = [];
  const { rotate, read, stored, bench, pass } = await openDeployment({ onTestFinished: (end) => ends.push(end) });
  const isKept = ["jwt", "seal", "pepper"].includes(what) && !flags.isFinished && !flags.isLeaked;
  const prepare = async () => {
    bench.cloudflare.heal();
    // A kept previous value is removed first, so that each rotation begins like the first one.
    if (read().rotated_at?.[what] !== undefined && isKept) {
      pass(8 * DAY_MS);
      await rotate(what, { isFinished: true });
    }
    if (flags.isFinished) {
      await rotate(what);
      pass(8 * DAY_MS);
    }
    bench.cloudflare.heal();
  };
  await prepare();
  await rotate(what, flags);
  const calls = bench.cloudflare.changes.length;
  expect(calls).toBeGreaterThan(0);
  for (let at = 1; at <= calls; at += 1) {
    for (const when of ["before", "after"] as const) {
      await prepare();
      const earlier = stored();
      bench.cloudflare.cut({ at, when });
      await expect(rotate(what, flags), `${what} ${when} ${at}`).rejects.toThrow();
      bench.cloudflare.heal();
      const { open_rotation: open } = read();
      expect(open?.what).toMatch(new RegExp(`^${what}`));
      await expect(rotate(what === "operator" ? "jwt" : "operator")).rejects.toThrow(/^rotation-open: /);
      await rotate(what, flags);
      expect(read()).not.toHaveProperty("open_rotation");
      const account = stored();
      for (const service of services) {
        expect(account[service]).toEqual(read()[service]);
        for (const [name, value] of Object.entries(open?.changes[service] ?? {})) {
          expect(account[service]?.[name]).toBe(value ?? undefined);
          expect(open?.former[service]?.[name] ?? undefined).toBe(earlier[service]?.[name]);
        }
      }
      expect(unknownServiceKeys(bench.cloudflare.state)).toEqual([]);
    }
  }
  for (const end of ends) await end();
});
