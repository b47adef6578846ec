import { companies } from "./schema";

/** The columns of `companies` that its administrators switch by `PATCH /api/v1/auth-methods`; a method may have one. */
export const signInFlags = {
  enable_magic_link: companies.enable_magic_link,
  notify_new_device: companies.notify_new_device,
};

export type SignInFlag = keyof typeof signInFlags;
