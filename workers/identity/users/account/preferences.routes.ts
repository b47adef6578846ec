import { preferencesBody, storedPreferencesSchema } from "../../../../schemas/identity/people/preferences";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { IdentityService } from "../../http";
import { preferencesOf } from "../profiles/company-user";
import { resetPreferences } from "./preferences";
import { findPinned } from "./preferences.store";
import { changeAccount } from "./user";

/** The pinned places, which are read in the round trip that checks the credential. */
const readPinned = ({ userId }: { userId: number }) => ({ pins: findPinned({ userId }) });

const common = { path: "/api/v1/preferences", tags: ["Account"], role: "self" } as const;

/** Mounts the endpoints of the caller's own preferences, which apply in every company. */
export function mountPreferences({ call }: IdentityService): void {
  call(
    {
      ...common,
      method: "get",
      summary: "Get the caller's preferences",
      reads: readPinned,
      responses: { 200: jsonResponse(storedPreferencesSchema, "The stored preferences, or the defaults") },
    },
    async ({ c, caller, results }) =>
      c.json({ ...preferencesOf(caller.user), pinned: results.pins.first?.pinned ?? [] }),
  );
  call(
    {
      ...common,
      method: "put",
      summary: "Change preferences; omitted fields keep their values",
      reads: readPinned,
      body: bodyOf(preferencesBody),
      responses: { 200: jsonResponse(storedPreferencesSchema, "All preferences after the change") },
    },
    async ({ c, services, caller, body: preferences, results }) => {
      const user = await changeAccount(services, caller, { preferences });
      const pinned = preferences.pinned ?? results.pins.first?.pinned ?? [];
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
