import { companies } from "../schema";

/**
 * The columns of `companies` that administrators set with `PATCH /api/v1/auth-methods`. A sign-in method may have such
 * a column.
 */
export const signInFlags = {
  enable_magic_link: companies.enable_magic_link,
  notify_new_device: companies.notify_new_device,
};

export type SignInFlag = keyof typeof signInFlags;
