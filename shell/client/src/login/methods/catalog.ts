import type { SignInMethod } from "../../session/methods/catalog.ts";
import { magicLink } from "./magic-link.tsx";
import { oauth } from "./oauth.tsx";
import type { MethodView } from "./view.ts";
import { web3 } from "./web3.tsx";

/** The view of each method. */
export const methodViews: Record<SignInMethod, MethodView> = { magic_link: magicLink, oauth, web3 };
