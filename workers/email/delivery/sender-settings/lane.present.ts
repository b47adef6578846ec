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

/** The three lanes as staff left them for everybody. */
export function presentLanes(pauses: readonly LaneStateRow[]): z.output<typeof laneStateSchema>[] {
  return LANES.map((lane) => {
    const pause = pauses.find((row) => row.lane === lane);
    return { lane, ...presentPause(pause), paused_by: pause?.paused_by ?? null };
  });
}

/** The state of each lane for one company: its own pause tells more than that for everybody. */
export function presentLanesOfCompany(pauses: readonly LaneStateRow[]): z.output<typeof providerSchema>["lanes"] {
  return LANES.map((lane) => {
    const ofLane = pauses.filter((row) => row.lane === lane);
    return { lane, ...presentPause(ofLane.find((row) => row.company_id !== 0) ?? ofLane[0]) };
  });
}

/** A pause of one company and of the sender whose mail waits. */
export function presentCompanyPause(row: LaneStateRow): z.output<typeof companyPauseSchema> {
  return {
    company_id: row.company_id,
    lane: row.lane,
    scope: row.scope === "platform" ? "platform" : "company",
    reason: row.reason,
    paused_at: iso(row.paused_at),
  };
}
