import { identityErrors } from "../../../schemas/identity/errors";
import { preferencesBody, preferencesSchema } from "../../../schemas/identity/preferences";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { readJson } from "../../kit/http/request/body";
import { parse } from "../../kit/http/request/parse";
import { requireCaller } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { changeOwnAccount, resetPreferences } from "./user";
import { preferencesOf } from "./user.present";

const path = "/api/v1/preferences";
const tags = ["Account"];
const security = [{ bearerAuth: [] }];
const readErrors = ["unauthorized", "token_invalid", "access_pending", "access_denied", "service_unavailable"];
const writeErrors = [...readErrors, "pat_read_only"];

/** Mounts the caller's own preferences, which hold in every company (identity details 8). */
export function mountPreferences(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path,
      summary: "The caller's preferences",
      tags,
      security,
      responses: {
        200: jsonResponse(preferencesSchema, "Stored ones, else the defaults"),
        ...problemResponses(identityErrors, readErrors),
      },
    },
    show,
  );
  service.route(
    {
      method: "put",
      path,
      summary: "Change preferences; what is left out stays",
      tags,
      security,
      request: { body: jsonBody(preferencesBody) },
      responses: {
        200: jsonResponse(preferencesSchema, "All preferences after the change"),
        ...problemResponses(identityErrors, [
          ...writeErrors,
          "validation_failed",
          "payload_too_large",
          "unsupported_media_type",
        ]),
      },
    },
    change,
  );
  service.route(
    {
      method: "delete",
      path,
      summary: "Back to the default preferences",
      tags,
      security,
      responses: {
        204: { description: "The defaults hold" },
        ...problemResponses(identityErrors, writeErrors),
      },
    },
    reset,
  );
}

async function show(c: IdentityContext): Promise<Response> {
  const { person } = await requireCaller(c.get("services"), c.req.raw);
  return c.json(preferencesOf(person));
}

async function change(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireCaller(services, c.req.raw);
  const preferences = parse(preferencesBody, await readJson(c.req.raw));
  return c.json(preferencesOf(await changeOwnAccount(services, caller, { preferences })));
}

async function reset(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  await resetPreferences(services, await requireCaller(services, c.req.raw));
  return c.body(null, 204);
}
