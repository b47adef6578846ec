import { eraseBody, erasedSchema } from "../../../../schemas/email/audience/privacy";
import { emailErrors } from "../../../../schemas/email/errors";
import { limitMutation, readBearer, requireAdmin } from "../../../kit/auth/caller";
import { requireStaffScope } from "../../../kit/auth/role";
import { jsonBody, jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import { readJson } from "../../../kit/http/request/body";
import { companyScope, parseRequestedCompany } from "../../../kit/http/request/company-scope";
import { parse } from "../../../kit/http/request/parse";
import { tryParseAsync, unwrap, valueOr } from "../../../kit/http/request/parsed";
import { invalid } from "../../../kit/problem";
import { enqueueErasures } from "../../delivery/queue/lane-message";
import type { EmailContext, EmailService } from "../../http";
import { Problem } from "../../problem";
import { requireServiceKey } from "../../records/clients/caller";
import { canSendFor, isServiceKey } from "../../records/clients/service-client";
import { readAddress } from "../../records/seal/address";
import type { EmailServices } from "../../services";
import { type ErasureRequest, eraseAddress } from "./erasure";

/** `/api/v1/privacy/erase`: delete company data about an address; see docs/specification/email-recipients.md#erasure. */
export function mountPrivacy(service: EmailService): void {
  service.route(
    {
      method: "post",
      path: "/api/v1/privacy/erase",
      tags: ["Privacy"],
      security: [{ bearerAuth: [] }],
      summary: "Delete a company's messages to an address, with their events; messages that are waiting are not sent",
      description:
        "For the key of the service `identity`, and for staff. Suppressions, unsubscribes and statistics stay.",
      describe: () => ({
        request: { body: jsonBody(eraseBody) },
        responses: {
          200: jsonResponse(erasedSchema, "Erased; a repeat has nothing left to delete"),
          ...problemResponses(emailErrors, [
            "validation_failed",
            "unauthorized",
            "pat_read_only",
            "company_mismatch",
            "forbidden",
            "rate_limited",
            "payload_too_large",
            "unsupported_media_type",
            "service_unavailable",
          ]),
        },
      }),
    },
    erase,
  );
}

async function erase(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const isByKey = isServiceKey(readBearer(c.req.raw));
  const request = isByKey ? await readByKey(c, services) : await readByStaff(c, services);
  const { messages, masked, openId } = await eraseAddress(services, request);
  if (openId !== null) services.waitUntil(enqueueErasures(services, [{ id: openId, company_id: request.companyId }]));
  return c.json({ deleted_messages: messages, email_masked: masked });
}

/** Reads a request that uses a service key. The body is read before the company is checked, because it may name the company. */
async function readByKey({ req }: EmailContext, services: EmailServices): Promise<ErasureRequest> {
  const client = await requireServiceKey(req.raw, services);
  const body = await readJson(req.raw);
  const companyId = companyScope({ query: req.query("company_id"), body: body.company_id });
  if (!canSendFor(client, companyId)) throw new Problem("company_mismatch");
  if (client.service !== "identity") throw new Problem("forbidden");
  return { companyId, address: readTarget(body), actor: { kind: "service", userId: null } };
}

/** Reads a request by staff. The company of the token is no default: the request must name it, because an erasure is final. */
async function readByStaff({ req }: EmailContext, services: EmailServices): Promise<ErasureRequest> {
  const caller = await requireAdmin(req.raw, services);
  const parsedBody = await tryParseAsync(() => readJson(req.raw));
  const companyInput = parseRequestedCompany({
    query: req.query("company_id"),
    body: valueOr(parsedBody, {}).company_id,
  });
  const companyId = requireStaffScope(caller, companyInput);
  await limitMutation(services, caller);
  const body = unwrap(parsedBody);
  if (companyId === null) throw invalid({ company_id: ["required"] });
  return { companyId, address: readTarget(body), actor: { kind: caller.kind, userId: caller.userId } };
}

function readTarget(body: Record<string, unknown>): string {
  const { email } = parse(eraseBody.unwrap().pick({ email: true }), body);
  const address = readAddress(email);
  if (address === null) throw invalid({ email: ["invalid_format"] });
  return address;
}
