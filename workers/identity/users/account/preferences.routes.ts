import { preferencesBody, storedPreferencesSchema } from "../../../../schemas/identity/people/preferences";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { IdentityService } from "../../http";
import { preferencesOf } from "../profiles/company-user";
import { readPinned, resetPreferences } from "./preferences";
import { changeAccount } from "./user";

const common = { path: "/api/v1/preferences", tags: ["Account"], role: "self" } as const;

/** Mounts the endpoints of the caller's own preferences, which apply in every company. */
export function mountPreferences({ call }: IdentityService): void {
  call(
    {
      ...common,
      method: "get",
      summary: "Get the caller's preferences",
      responses: { 200: jsonResponse(storedPreferencesSchema, "The stored preferences, or the defaults") },
    },
    async ({ c, services, caller }) =>
      c.json({ ...preferencesOf(caller.user), pinned: await readPinned(services, caller.user.id) }),
  );
  call(
    {
      ...common,
      method: "put",
      summary: "Change preferences; omitted fields keep their values",
      body: bodyOf(preferencesBody),
      responses: { 200: jsonResponse(storedPreferencesSchema, "All preferences after the change") },
    },
    async ({ c, services, caller, body: preferences }) => {
      const user = await changeAccount(services, caller, { preferences });
      const pinned = preferences.pinned ?? (await readPinned(services, user.id));
      return c.json({ ...preferencesOf(user), pinned });
    },
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
