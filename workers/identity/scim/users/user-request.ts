import type { JsonObject } from "../../../kit/json";
import { Problem } from "../../problem";
import type { Reader } from "../protocol/endpoint";
import { type Change, changesOfResource, readOperations } from "../protocol/patch";
import { notUnique } from "../protocol/scim-problem";
import { addressOf, applyChanges, type DirectoryUser, emptyUser, readUser } from "./directory-user";
import { nameKeyOf, planChange, planCreation, planDeletion, selectForCreation, type UserPlan } from "./user";
import { directoryUserOf } from "./user.present";
import { findAccount, findUser, findUserByName, type StoredUser } from "./user.store";

/** A request that changes users. `id` is the id in the path, or null for POST. */
export type UserRequest = { method: "POST" | "PUT" | "PATCH" | "DELETE"; id: string | null; body: JsonObject };

/**
 * Plans a change of users without writing. With `isRetry`, also checks whether the user name and address are free, because the
 * first attempt may have failed for this reason. Throws 400, 404, and 409 `conflict`, `user_shared` and `last_company_owner`.
 */
export async function planUserRequest(request: UserRequest, read: Reader, isRetry = false): Promise<UserPlan> {
  const { method, body } = request;
  if (method === "POST") {
    const requested = readUser(body, true);
    const { nameHolder, account } = await read((companyId) => selectForCreation(companyId, requested));
    return planCreation({ nameHolder: nameHolder.first, account: account.first }, requested);
  }
  // The operations are read first, so that an invalid request reads nothing.
  const changes = method === "PATCH" ? readOperations(body) : changesOfResource(body);
  const stored = await findStored(request, read);
  if (method === "DELETE") return planDeletion(stored);
  const present = directoryUserOf(stored);
  // A PUT without `emails` and without an address as its user name keeps the stored address.
  const base = method === "PATCH" ? present : { ...emptyUser(present.isActive), email: emailToKeep(stored, body) };
  const requested = applyChanges(base, changes);
  if (isRetry) await requireUnique(stored, requested, read);
  return planChange(stored, requested, method === "PUT" ? "replace" : "update", changes.some(setsActive));
}

/** Returns whether a change says who has access. Other changes leave the access as it is. */
const setsActive = ({ attribute, verb, value }: Change) =>
  attribute === "active" && verb !== "remove" && value !== null;

async function findStored({ id }: UserRequest, read: Reader): Promise<StoredUser> {
  const userId = /^[1-9]\d{0,14}$/.test(id ?? "") ? Number(id) : 0;
  const { user } = await read((companyId) => ({ user: findUser({ companyId, userId }) }));
  if (user.first === null) throw new Problem("not_found", { message: "There is no user with this id." });
  return user.first;
}

function emailToKeep(stored: StoredUser, body: JsonObject): DirectoryUser["email"] {
  const requested = changesOfResource(body).find(({ attribute }) => attribute === "username")?.value;
  return typeof requested === "string" && requested.includes("@") ? null : { value: stored.email, type: "work" };
}

async function requireUnique(stored: StoredUser, requested: DirectoryUser, read: Reader): Promise<void> {
  const { nameHolder, account } = await read((companyId) => ({
    nameHolder: findUserByName({ companyId, nameKey: nameKeyOf(requested) }),
    account: findAccount({ companyId, email: addressOf(requested) }),
  }));
  if (nameHolder.first !== null && nameHolder.first.id !== stored.id)
    throw notUnique("A user with this userName exists.");
  if (account.first !== null && account.first.id !== stored.id) throw notUnique("Another user has this address.");
}
