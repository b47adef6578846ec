import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { exampleOfMethods, fieldsOfMethods, signInMethodIds } from "../sign-in-methods/catalog";

/** Warnings for administrators about sign-in. A warning does not reject the request. */
export const signInWarnings = () =>
  z.array(z.enum(["no_sign_in_method"])).describe("`no_sign_in_method`: no user can sign in to the company");

const methods = () => z.array(z.enum(signInMethodIds));

/** Response of `GET|PATCH|PUT /api/v1/auth-methods`. */
export const authMethodsSchema = lazySchema(() =>
  z
    .object({
      ...fieldsOfMethods("authMethods"),
      notify_new_device: z.boolean(),
      methods: methods(),
      warnings: signInWarnings(),
    })
    .meta({
      id: "AuthMethods",
      examples: [
        { ...exampleOfMethods("authMethods"), notify_new_device: false, methods: signInMethodIds, warnings: [] },
      ],
    }),
);

const flags = () => ({ ...fieldsOfMethods("flags"), notify_new_device: z.boolean("invalid").optional() });

/** Body of `PATCH|PUT /api/v1/auth-methods`. At least one flag is required. */
export const authMethodsBody = lazySchema(() => {
  const names = Object.keys(flags());
  return z
    .object({
      company_id: z.int("invalid").min(1, "invalid").optional(),
      ...flags(),
      confirm: z.boolean("invalid").optional().meta({ deprecated: true, description: "has no effect" }),
    })
    .refine((body) => names.some((name) => body[name as keyof typeof body] !== undefined), {
      path: ["enable_magic_link"],
      error: "required",
    })
    .meta({
      anyOf: names.map((name) => ({ required: [name] })),
      examples: [{ enable_magic_link: false }, { notify_new_device: true }],
    });
});

/** Response of `GET /api/v1/settings`. */
export const settingsSchema = lazySchema(() =>
  z.object({ methods: methods(), ...fieldsOfMethods("settings") }).meta({
    id: "Settings",
    examples: [{ methods: signInMethodIds, ...exampleOfMethods("settings") }],
  }),
);
