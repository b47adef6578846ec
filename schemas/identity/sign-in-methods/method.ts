import type * as z from "zod";

/** The API fields of one sign-in method. The settings and auth-methods objects merge the fields of all methods. */
export type MethodFields = {
  /** fields of `GET /api/v1/settings` */
  settings: () => Record<string, z.ZodType>;
  /** fields of the auth-methods object */
  authMethods: () => Record<string, z.ZodType>;
  /** optional flags that `PATCH /api/v1/auth-methods` changes */
  flags: () => Record<string, z.ZodType>;
  /** examples of `settings` and `authMethods` */
  examples: { settings: Record<string, unknown>; authMethods: Record<string, unknown> };
};
