import type { Bound } from "../../db/statement";
import type { ActionsContext } from "../context";

/** How long a first attempt may stay away before a retry run takes it over (details of Document 3, 4.1). */
const DOORBELL_MS = 30_000;

/** The statement that makes a delivery (uuid) of a stored event for a rule of its company and type; nothing when there is one. */
export function insertReplay(
  { outbox }: Pick<ActionsContext, "outbox">,
  replay: { id: string; eventLogId: number; ruleId: number },
  now: number,
): Bound {
  return outbox.addReplay({
    id: replay.id,
    event: replay.eventLogId,
    rule: replay.ruleId,
    now,
    due: now + DOORBELL_MS,
  });
}
