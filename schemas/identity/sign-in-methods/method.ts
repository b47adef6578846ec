import type * as z from "zod";

/** The API fields of one sign-in method; settings and auth-methods merge those of all methods. */
export type MethodFields = {
  /** of `GET /api/v1/settings` */
  settings: () => Record<string, z.ZodType>;
  /** of the auth-methods object */
  authMethods: () => Record<string, z.ZodType>;
  /** flags that `PATCH /api/v1/auth-methods` switches, all optional */
  flags: () => Record<string, z.ZodType>;
  /** examples of the first two */
  examples: { settings: Record<string, unknown>; authMethods: Record<string, unknown> };
};
