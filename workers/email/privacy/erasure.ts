import { maskAddress } from "../../../schemas/address";
import { eraseBody } from "../../../schemas/email/privacy";
import { limitMutation, readBearer, requireAdmin } from "../../kit/auth/caller";
import { requireStaffScope } from "../../kit/auth/role";
import { readLateBody } from "../../kit/http/request/body";
import { companyScope } from "../../kit/http/request/company-scope";
import { parse } from "../../kit/http/request/parse";
import { messageId } from "../../kit/ids";
import { invalid, Problem } from "../../kit/problem";
import { requireServiceKey } from "../clients/caller";
import { isServiceKey, mayAddress } from "../clients/service-client";
import { hashAddress, readAddress } from "../recipients/address";
import type { EmailServices } from "../services";
import type { Actor } from "../unsubscribes/audit.store";
import { maskEvent } from "../webhooks/event-seal";
import { type ErasureStep, startErasure, storeMasked } from "./erasure.store";

/** An erasure that a caller may ask for. */
type ErasureRequest = { companyId: number; address: string; actor: Actor };

/** What an erasure came to. `openId`: the erasure, when messages are left for queue steps. */
export type Erased = { messages: number; masked: string; openId: string | null };

/** `POST /api/v1/privacy/erase`: who may, for which company and address (email details 1.2, 1.3, 8.3). */
export async function readErasure(request: Request, services: EmailServices): Promise<ErasureRequest> {
  return isServiceKey(readBearer(request)) ? readByKey(request, services) : readByStaff(request, services);
}

async function readByKey(request: Request, services: EmailServices): Promise<ErasureRequest> {
  const client = await requireServiceKey(request, services);
  const body = (await readLateBody(request)).take();
  const companyId = companyScope({ query: queryCompany(request), body: body.company_id });
  if (!mayAddress(client, companyId)) throw new Problem("company_mismatch");
  if (client.service !== "identity") throw new Problem("forbidden");
  return { companyId, address: readTarget(body), actor: { kind: "service", userId: null } };
}

async function readByStaff(request: Request, services: EmailServices): Promise<ErasureRequest> {
  const caller = await requireAdmin(request, services);
  const late = await readLateBody(request);
  const named = requireStaffScope(caller, { query: queryCompany(request), body: late.companyId });
  await limitMutation(services, caller);
  const body = late.take();
  // What is erased is gone, so staff name the company too: the token's is not taken for it.
  if (named === null) throw invalid({ company_id: ["required"] });
  return { companyId: named, address: readTarget(body), actor: { kind: caller.kind, userId: caller.userId } };
}

function queryCompany(request: Request): string | undefined {
  return new URL(request.url).searchParams.get("company_id") ?? undefined;
}

function readTarget(body: Record<string, unknown>): string {
  const { email } = parse(eraseBody.pick({ email: true }), body);
  const address = readAddress(email);
  if (address === null) throw invalid({ email: ["invalid_format"] });
  return address;
}

/**
 * Removes what is kept of the address in the company, found by hash. Suppressions, unsubscribes and roll-ups stay, and
 * stored idempotency answers hold the masked form only (email details 3.4, 8.3).
 */
export async function eraseAddress(services: EmailServices, request: ErasureRequest): Promise<Erased> {
  const { companyId, address, actor } = request;
  const { peppers } = await services.keys();
  const hashes = await Promise.all(peppers.map((pepper) => hashAddress(pepper, address)));
  const id = messageId().slice("msg_".length);
  const now = services.clock.now();
  const { messages, ...step } = await startErasure(services.db, { id, companyId, hashes, now }, actor);
  const isMoreLeft = await maskTold(services, id, step);
  services.log.info("address erased", { company_id: companyId, messages, is_more_left: isMoreLeft });
  return { messages, masked: maskAddress(address), openId: isMoreLeft ? id : null };
}

/** Masks the address in the events that a step has found; whether there is anything for a further step. */
export async function maskTold(
  services: EmailServices,
  id: string,
  { events, isMoreLeft }: ErasureStep,
): Promise<boolean> {
  if (events.length === 0) return isMoreLeft;
  const keys = await services.keys();
  return storeMasked(services.db, id, await Promise.all(events.map((event) => maskEvent(event, keys))));
}
