import type * as z from "zod";
import { type companyPauseSchema, LANES, type laneStateSchema } from "../../../schemas/email/lanes";
import type { LaneStateRow } from "./pause.store";

/** The three lanes as staff left them for everybody. */
export function presentLanes(pauses: readonly LaneStateRow[]): z.output<typeof laneStateSchema>[] {
  return LANES.map((lane) => {
    const pause = pauses.find((row) => row.lane === lane);
    return {
      lane,
      paused: pause !== undefined,
      reason: pause?.reason ?? "",
      paused_at: pause === undefined ? null : new Date(pause.paused_at).toISOString(),
      paused_by: pause?.paused_by ?? null,
    };
  });
}

/** A pause of one company and of the sender whose mail waits. */
export function presentCompanyPause(row: LaneStateRow): z.output<typeof companyPauseSchema> {
  return {
    company_id: row.company_id,
    lane: row.lane,
    scope: row.scope === "platform" ? "platform" : "company",
    reason: row.reason,
    paused_at: new Date(row.paused_at).toISOString(),
  };
}
