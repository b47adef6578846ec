import type { Provider } from "../../../../db/identity/schema";
import { apple } from "./apple";
import { github } from "./github";
import { google } from "./google";
import { microsoft } from "./microsoft";
import { oidc } from "./oidc";
import type { ProviderDefinition } from "./types";

/** The kinds of sign-in provider. A new kind needs a file in this folder and a line here. */
export const providers: Record<Provider, ProviderDefinition> = { google, github, microsoft, apple, oidc };
