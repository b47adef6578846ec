import type { AuditActor } from "../../../../db/kit/audit";
import { actorText } from "./envelope";

/** The author of a change, for its events and audit entry: a user, or the operator, who has neither id nor address. */
export type Actor = AuditActor & { email: string | null };

/** An actor that is a user. */
export type UserActor = Actor & { userId: number; email: string };

/** Returns the actor columns of an event row. */
export const eventActor = (actor: Actor) => ({
  userId: actor.userId,
  email: actor.email,
  actor: actorText(actor),
});
