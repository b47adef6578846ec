import type { AppRow } from "../../../db/hosting/schema";
import { actorOf, changeEntry } from "../../kit/audit/audit";
import { randomFromAlphabet } from "../../kit/crypto/random";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { DAY_MS } from "../../kit/time";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { type Actor, eventActor, type UserActor } from "../../kit/webhooks/events/event-actor";
import { requestCleanup } from "../files/clean-up";
import { forgetLookups } from "../live/lookup";
import { removeAppDomains } from "../origins/host";
import { appOriginChange, newOriginChange, sendOrigins } from "../origins/origin";
import { Problem } from "../problem";
import type { HostingServices } from "../services";
import { addAppEvent, deleteApp, deleteDeployments, findAppByName, insertApp, renewApp, updateApp } from "./app.store";

export { findApp, findAppBySlug } from "./app.store";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const SLUG_LENGTH = 12;

/** Returns a new random slug: 12 letters and digits, first a letter. */
export const newSlug = (): string =>
  randomFromAlphabet(LETTERS, 1) + randomFromAlphabet(`${LETTERS}0123456789`, SLUG_LENGTH - 1);

/** A new app. `lifetimeMs` makes it a preview. */
type NewApp = { name: string; slug: string; display_name: string; lifetimeMs: number | null };

/**
 * Returns the statements that insert an app with its event and audit entry, and the key of the event. `requireStored` returns
 * the stored row; it throws 409 `app_name_taken` or 403 `app_quota_exceeded`.
 */
export function appStatements(services: HostingServices, companyId: number, caller: UserActor, app: NewApp) {
  const { clock, settings } = services;
  const [id, eventId, now] = [uuid(), uuid(), clock.now()];
  const { name, slug, display_name, lifetimeMs } = app;
  const expiresAt = lifetimeMs === null ? null : now + lifetimeMs;
  const type = "hosting.app.created";
  const data = appEventData({ id, name, slug, display_name, company_id: companyId });
  const origin = newOriginChange(services, { company_id: companyId, slug, display_name });
  return {
    id,
    expiresAt,
    eventKey: { id: eventId, company_id: companyId },
    statements: {
      app: followedBy(
        insertApp({
          id,
          companyId,
          name,
          slug,
          displayName: display_name,
          ownerId: caller.userId,
          expiresAt,
          now,
          max: settings.limits.apps,
        }),
        changeEntry({ ...auditedApp(caller, companyId, id, "created", now), changes: { name } }),
      ),
      appEvent: addAppEvent({ eventId, companyId, type, data, appId: id, now, ...eventActor(caller) }),
      origin: origin.statement,
      storedApp: findAppByName({ companyId, name }),
    },
    requireStored: (row: AppRow | null): AppRow => {
      if (row === null) throw new Problem("app_quota_exceeded");
      if (row.id !== id) throw new Problem("app_name_taken");
      sendOrigins(services, companyId, origin.keys);
      return row;
    },
  };
}

/** Creates an app. Throws 409 `app_name_taken` or 403 `app_quota_exceeded`. */
export async function createApp(
  services: HostingServices,
  companyId: number,
  caller: UserActor,
  { name, display_name }: { name: string; display_name: string },
): Promise<AppRow> {
  const app = { name, display_name, slug: newSlug(), lifetimeMs: null };
  const { statements, eventKey, requireStored } = appStatements(services, companyId, caller, app);
  const { storedApp } = await batchWithEvents(services.webhooks, services.dbOf(companyId), statements, [eventKey]);
  return requireStored(storedApp.first);
}

/** Changes an app. Omitted fields keep their values. Throws 404 when it was deleted meanwhile. */
export async function changeApp(
  { clock, dbOf }: HostingServices,
  caller: UserActor,
  app: AppRow,
  change: { display_name?: string | undefined; public_deployments?: boolean | undefined },
): Promise<AppRow> {
  const { id, company_id: companyId } = app;
  const { display_name: displayName = app.display_name } = change;
  const { public_deployments: publicDeployments = app.public_deployments } = change;
  const now = clock.now();
  const changed = await dbOf(companyId).first(
    followedBy(
      updateApp({ id, companyId, displayName, publicDeployments, now }),
      changeEntry({ ...auditedApp(caller, companyId, id, "updated", now), changes: { fields: Object.keys(change) } }),
    ),
  );
  if (changed === null) throw new Problem("not_found");
  forgetLookups();
  return changed;
}

/** Starts the days of a preview again. Throws 409 `not_preview` or `preview_expired`. */
export async function renewPreview(
  { clock, dbOf, settings }: HostingServices,
  caller: UserActor,
  { id, company_id: companyId, expires_at }: AppRow,
): Promise<AppRow> {
  if (expires_at === null) throw new Problem("not_preview");
  const now = clock.now();
  const renewed = await dbOf(companyId).first(
    followedBy(
      renewApp({ id, companyId, expiresAt: now + settings.limits.previewDays * DAY_MS, now }),
      changeEntry(auditedApp(caller, companyId, id, "renewed", now)),
    ),
  );
  if (renewed === null) throw new Problem("preview_expired");
  forgetLookups();
  return renewed;
}

/** Deletes an app with its deployments and domains. The clean-up removes the files. */
export async function removeApp(services: HostingServices, caller: Actor, app: AppRow): Promise<void> {
  const { id, company_id: companyId } = app;
  const [eventId, now] = [uuid(), services.clock.now()];
  const type = "hosting.app.deleted";
  const data = appEventData(app);
  const origin = appOriginChange(services, app);
  await batchWithEvents(
    services.webhooks,
    services.dbOf(companyId),
    {
      event: addAppEvent({ eventId, companyId, type, data, appId: id, now, ...eventActor(caller) }),
      domains: removeAppDomains(services, app),
      deployments: deleteDeployments({ appId: id, companyId }),
      app: followedBy(deleteApp({ id, companyId }), changeEntry(auditedApp(caller, companyId, id, "deleted", now))),
      origin: origin.statement,
      cleanUp: requestCleanup({ companyId, dueAt: now, now }),
    },
    [{ id: eventId, company_id: companyId }],
  );
  forgetLookups();
  sendOrigins(services, companyId, origin.keys);
}

/** Returns the fields of an app in the data of its events and of those of its deployments. */
export const appEventFields = ({
  id: app_id,
  name,
  slug,
  display_name,
  company_id,
}: Pick<AppRow, "id" | "name" | "slug" | "display_name" | "company_id">) => ({
  app_id,
  name,
  slug,
  display_name,
  company_id,
});

const appEventData = (app: Parameters<typeof appEventFields>[0]) => storableData(appEventFields(app));

const auditedApp = (
  caller: Actor,
  companyId: number,
  id: string,
  verb: "created" | "updated" | "renewed" | "deleted",
  now: number,
) => ({ actor: actorOf(caller), companyId, action: `app.${verb}`, target: `app:${id}`, now });
