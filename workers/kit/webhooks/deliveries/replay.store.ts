import type { ActionsContext } from "../context";

/** How long a first attempt may stay away before a retry run takes it over (details of Document 3, 4.1). */
const DOORBELL_MS = 30_000;

/** The statement that makes a delivery (uuid) of a stored event for a rule of its company and type; nothing when there is one. */
export function insertReplay(
  { db, outbox }: Pick<ActionsContext, "db" | "outbox">,
  replay: { id: string; eventLogId: number; ruleId: number },
  now: number,
): D1PreparedStatement {
  return outbox.addReplay.bind(db, replay.id, replay.eventLogId, replay.ruleId, now, now + DOORBELL_MS);
}
