import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { ProviderCallError } from "./calls";
import { emailOf, namesOf, pictureOf } from "./claims";
import type { ProviderDefinition } from "./types";

const ISSUER = "https://github.com";

const userSchema = lazySchema(() =>
  z.object({ id: z.int().min(1), name: z.string().nullish(), avatar_url: z.string().nullish() }),
);
const emailsSchema = lazySchema(() =>
  z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() })),
);

/**
 * https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps. GitHub issues no ID token, so the user
 * and the email addresses are read from its API.
 */
export const github: ProviderDefinition = {
  label: "GitHub",
  issuer: ISSUER,
  fields: [
    { name: "client_id", required: true, secret: false },
    { name: "client_secret", required: true, secret: true },
  ],
  scopes: "read:user user:email",
  parameters: {},
  switchAccount: { prompt: "select_account" },
  isOpenId: false,
  endpoints: async () => ({
    authorize: "https://github.com/login/oauth/authorize",
    token: "https://github.com/login/oauth/access_token",
    userinfo: "https://api.github.com/user",
    supportsPkce: true,
  }),
  async readIdentity({ accessToken }, { userinfo }, calls) {
    if (accessToken === null || userinfo === undefined) throw new ProviderCallError("GitHub returned no access token");
    const [userResponse, emailsResponse] = await Promise.all([
      calls.get(userinfo, accessToken),
      calls.get(`${userinfo}/emails`, accessToken),
    ]);
    const user = userSchema.safeParse(userResponse).data;
    const emails = emailsSchema.safeParse(emailsResponse).data;
    if (!user || !emails) throw new ProviderCallError("the user or email list of GitHub cannot be read");
    const primary = emails.find((entry) => entry.primary);
    const email = emailOf(primary?.email);
    return {
      issuer: ISSUER,
      subject: String(user.id),
      email,
      isEmailProven: email !== null && primary?.verified === true,
      ...namesOf({ name: user.name }),
      avatarUrl: pictureOf(user.avatar_url),
    };
  },
};
