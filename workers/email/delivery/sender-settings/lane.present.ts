import type * as z from "zod";
import type { LaneStateRow } from "../../../../db/email/rows";
import { type companyPauseSchema, LANES, type laneStateSchema } from "../../../../schemas/email/delivery/lanes";
import type { providerSchema } from "../../../../schemas/email/delivery/provider";
import { iso } from "../../../kit/time";

const presentPause = (pause: LaneStateRow | undefined) => ({
  paused: pause !== undefined,
  reason: pause?.reason ?? "",
  paused_at: iso(pause?.paused_at ?? null),
});

/** Returns every lane with the pause that staff set for all companies. */
export function presentLanes(pauses: readonly LaneStateRow[]): z.output<typeof laneStateSchema>[] {
  return LANES.map((lane) => {
    const pause = pauses.find((row) => row.lane === lane);
    return { lane, ...presentPause(pause), paused_by: pause?.paused_by ?? null };
  });
}

/** Returns the state of each lane for one company. A pause of the company takes precedence over a pause for all companies. */
export function presentLanesOfCompany(pauses: readonly LaneStateRow[]): z.output<typeof providerSchema>["lanes"] {
  return LANES.map((lane) => {
    const lanePauses = pauses.filter((row) => row.lane === lane);
    return { lane, ...presentPause(lanePauses.find((row) => row.company_id !== 0) ?? lanePauses[0]) };
  });
}

/** Returns a pause of one company. The pause applies to the mail of one sender scope (the company or the platform). */
export function presentCompanyPause(row: LaneStateRow): z.output<typeof companyPauseSchema> {
  return {
    company_id: row.company_id,
    lane: row.lane,
    scope: row.scope === "platform" ? "platform" : "company",
    reason: row.reason,
    paused_at: iso(row.paused_at),
  };
}
