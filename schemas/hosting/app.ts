import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { pageSchema } from "../page";
import { nameSchema } from "../text/name";

/** App names that would read like a route or a page of the platform. */
const reservedAppNames: readonly string[] = [
  "admin",
  "api",
  "apps",
  "health",
  "hosting",
  "stats",
  "access",
  "deployments",
  "preview",
];

const appNamePattern = "^[a-z][a-z0-9-]{2,62}$";

const appName = () =>
  z
    .string("invalid")
    .regex(new RegExp(appNamePattern), "invalid")
    .refine((name) => !reservedAppNames.includes(name), "reserved")
    .describe(`unique in the company; not ${reservedAppNames.map((name) => `\`${name}\``).join(", ")}`);

/** The display name of an app. Mails to the owners show it, so it contains no link. */
export const appDisplayName = () => nameSchema(100);

/** Body of `POST apps`. */
export const newAppBody = lazySchema(() =>
  z
    .object({ name: appName(), display_name: appDisplayName() })
    .meta({ id: "NewApp", examples: [{ name: "field-notes", display_name: "Field Notes" }] }),
);

/** Body of `PATCH apps/{app}`. Missing fields keep their values. */
export const appChangeBody = lazySchema(() =>
  z
    .object({ display_name: appDisplayName().optional(), public_deployments: z.boolean("invalid").optional() })
    .meta({ id: "AppChange", examples: [{ display_name: "Field Notes", public_deployments: true }] }),
);

/** `{app}` in a path, for the OpenAPI document: the id, the name in the company or the slug. */
const appText = () => z.string().meta({ pattern: "^[a-z0-9][a-z0-9-]{2,62}$", example: "field-notes" });

/** The path parameter that names an app. */
export const appParams = lazySchema(() => z.object({ app: appText() }));

/** The path parameters that name a deployment of an app. */
export const deploymentParams = lazySchema(() => z.object({ app: appText(), id: z.uuid() }));

/** The path parameters that name two deployments of an app. */
export const deploymentDiffParams = lazySchema(() => z.object({ app: appText(), a: z.uuid(), b: z.uuid() }));

/** An example of an app. */
export const appExample = {
  id: "0199c2f4-5c1e-7a40-8f11-3d5e7f9a1b2c",
  name: "field-notes",
  slug: "k7m2p9q4r8st",
  company_id: 10,
  display_name: "Field Notes",
  public_deployments: false,
  expires_at: null,
  current_deployment_id: "7c4fbd0e-8a55-4a0f-9a44-0f4f7f0d5f11",
  created_at: "2026-11-20T09:30:00.000Z",
  updated_at: "2026-11-20T09:31:00.000Z",
  urls: { url: "https://k7m2p9q4r8st.apps.example.com" },
};

export const appSchema = lazySchema(() =>
  z
    .object({
      id: z.uuid(),
      name: z.string(),
      slug: z.string().describe("the first label of the app's host"),
      company_id: z.int(),
      display_name: z.string(),
      public_deployments: z
        .boolean()
        .describe("everyone may open the addresses of single deployments; otherwise only members with a visit link"),
      expires_at: z.iso.datetime().nullable().describe("when a preview ends; null for an app that is not a preview"),
      current_deployment_id: z.uuid().nullable(),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
      urls: z.object({ url: z.url() }).optional().describe("present once a deployment is live"),
    })
    .meta({ id: "App", examples: [appExample] }),
);

/** A page of apps. */
export const appPageSchema = pageSchema(appSchema);

export type PublicApp = z.output<ReturnType<typeof appSchema.unwrap>>;
