import * as z from "zod";
import { problemResponses } from "../http/openapi/responses";
import { type LateBody, readLateBody } from "../http/request/body";
import { limitMutation } from "./access";
import type { ActionsApi, ActionsHandlerContext, ActionsServices, Admission } from "./api";

/** Where Actions are (details of Document 3, 4.9). */
export const prefix = "/api/v1/actions";

export const companyQuery = z.object({ company_id: z.string().optional() });
export const idParam = z.object({ id: z.string() });

const readErrors = ["unauthorized", "company_mismatch", "forbidden", "validation_failed"];
const writeErrors = [...readErrors, "pat_read_only", "rate_limited"];
const bodyErrors = [...writeErrors, "payload_too_large", "unsupported_media_type"];

/** What every operation says of itself and its refusals. */
export function operationsOf<S extends ActionsServices>(api: ActionsApi<S>, tag: string) {
  const problems = (codes: string[]) => (more: string[]) =>
    problemResponses(api.errors, [...codes, ...api.refusals, ...more, "service_unavailable"]);
  return {
    common: { tags: [tag], security: [{ bearerAuth: [] }] },
    reads: problems(readErrors),
    writes: problems(writeErrors),
    writesBody: problems(bodyErrors),
  };
}

/** An admitted mutation with its body, counted on its user. */
export async function admitMutation<S extends ActionsServices, T extends unknown[] = []>(
  api: ActionsApi<S>,
  c: ActionsHandlerContext<S>,
  options: { isOptional?: boolean; reads?: () => D1PreparedStatement[] } = {},
): Promise<Admission<T> & { body: LateBody }> {
  const { isOptional = false, reads } = options;
  const services = c.get("services");
  const body = await readLateBody(c.req.raw, { optional: isOptional });
  const admission = await api.admit<T>(services, c.req.raw, { body, ...(reads ? { reads } : {}) });
  await limitMutation(services, admission.caller);
  return { ...admission, body };
}
