import { preferencesBody, preferencesSchema } from "../../../../schemas/identity/people/preferences";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { IdentityService } from "../../http";
import { preferencesOf } from "../profiles/company-user";
import { resetPreferences } from "./preferences";
import { changeAccount } from "./user";

const common = { path: "/api/v1/preferences", tags: ["Account"], role: "self" } as const;

/** Mounts the endpoints of the caller's own preferences, which apply in every company. */
export function mountPreferences({ call }: IdentityService): void {
  call(
    {
      ...common,
      method: "get",
      summary: "Get the caller's preferences",
      responses: { 200: jsonResponse(preferencesSchema, "The stored preferences, or the defaults") },
    },
    ({ c, caller }) => c.json(preferencesOf(caller.user)),
  );
  call(
    {
      ...common,
      method: "put",
      summary: "Change preferences; omitted fields keep their values",
      body: bodyOf(preferencesBody),
      responses: { 200: jsonResponse(preferencesSchema, "All preferences after the change") },
    },
    async ({ c, services, caller, body: preferences }) =>
      c.json(preferencesOf(await changeAccount(services, caller, { preferences }))),
  );
  call(
    {
      ...common,
      method: "delete",
      summary: "Reset the preferences to the defaults",
      responses: { 204: { description: "The defaults apply" } },
    },
    async ({ c, services, caller }) => {
      await resetPreferences(services, caller);
      return c.body(null, 204);
    },
  );
}
