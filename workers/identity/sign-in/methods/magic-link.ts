import type { SignInMethod } from "./types";

/** A link or a typed code in a mail: the deployment, the company and its own switch allow it. */
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
    { counter: "magic_links_requested", help: "Sign-in links asked for." },
    { counter: "magic_links_consumed", help: "Sign-in links used." },
  ],
  // A link is used for a sign-in, or for a code that nobody has made one of.
  sum: {
    counter: "magic_links_consumed",
    of: ["successful_logins:magic_link", "links_without_login"],
    hidden: ["links_without_login"],
  },
};
