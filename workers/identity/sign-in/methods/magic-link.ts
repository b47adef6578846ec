import type { SignInMethod } from "./types";

/**
 * Sign-in by a link or typed code from a mail. It is effective when the deployment enables it, the company is active, and the
 * company has enabled it.
 */
export const magicLink: SignInMethod = {
  isEffective: ({ magicLinkEnabled }, { company }) =>
    magicLinkEnabled && company?.is_active === true && company.enable_magic_link,
  presentSettings: ({ signInCode, magicLinkMs }, _facts, isEffective) => ({
    enable_magic_link: isEffective,
    sign_in_code: isEffective && signInCode,
    ...(isEffective ? { magic_link_ttl_seconds: magicLinkMs / 1000 } : {}),
  }),
  presentAuthMethods: ({ magicLinkEnabled }, { company }, isEffective) => ({
    enable_magic_link: company.enable_magic_link,
    magic_link_effective: isEffective,
    magic_link_globally_enabled: magicLinkEnabled,
  }),
  accountData: () => ({}),
  totals: [
    { counter: "magic_links_requested", help: "Sign-in links requested." },
    { counter: "magic_links_consumed", help: "Sign-in links used." },
  ],
  // Every consumed link led to a sign-in, or to an auth code that is not redeemed yet.
  sum: {
    counter: "magic_links_consumed",
    addends: ["successful_logins:magic_link", "links_without_login"],
    hidden: ["links_without_login"],
  },
};
