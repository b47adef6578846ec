import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import type { IdentityServices } from "../services";
import {
  deletePatsOfStranger,
  deletePreferencesOfNobody,
  deleteSessionsOfStranger,
  deleteUserWithoutMembership,
  endSignInRequestsOfStranger,
  findMembership,
  removeMembership,
  revokePatsOfStranger,
  revokeSessionsOfStranger,
} from "./membership.store";

/** A person in a company. */
export type Member = { companyId: number; userId: number };

/** Statements that end what must not outlive access (details 5), to be put behind the statement that takes it away. */
export function revokeAccess(services: IdentityServices, { companyId, userId }: Member): D1PreparedStatement[] {
  const { db, clock } = services;
  const now = clock.now();
  return [
    revokeSessionsOfStranger.bind(db, companyId, userId, now),
    revokePatsOfStranger.bind(db, companyId, userId, now),
  ];
}

/**
 * Removes a membership with its sessions, tokens and open links, and the account when it was the last (details 5, 7.1, 8);
 * one batch. `behind` follows the removal: its statements look at `changes()` and do nothing when nothing was removed;
 * `events` are ids of the events among them.
 * `last_owner`: the company would have no owner; nothing is changed.
 */
export async function endMembership(
  services: IdentityServices,
  { companyId, userId }: Member,
  behind: D1PreparedStatement[],
  events: readonly string[],
): Promise<"ended" | "last_owner"> {
  const { db, clock } = services;
  const statements = [
    removeMembership.bind(db, companyId, userId),
    ...behind,
    deleteSessionsOfStranger.bind(db, companyId, userId),
    deletePatsOfStranger.bind(db, companyId, userId),
    endSignInRequestsOfStranger.bind(db, userId, clock.now()),
    deleteUserWithoutMembership.bind(db, userId),
    deletePreferencesOfNobody.bind(db, userId),
    findMembership.bind(db, companyId, userId),
  ];
  const results = await batchWithEvents(services.actions, statements, events);
  return results.at(-1)?.results.length === 0 ? "ended" : "last_owner";
}
