import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern } from "../../text/address";

/** The pattern of public keys of newsletters. */
export const PUBLIC_KEY_PATTERN = "^nl_[A-Za-z0-9_-]{24}$";

/** The pattern of tokens in confirmation links. */
export const CONFIRMATION_TOKEN_PATTERN = "^[A-Za-z0-9_-]{43}$";

/** Maximum length of a subscriber's first name. */
export const MAX_FIRST_NAME = 150;

/** Maximum length of a Turnstile response token. */
export const MAX_TURNSTILE_TOKEN = 2048;

/** Maximum length of a language tag, of which only `en` and `fr` have an effect. */
export const MAX_LANGUAGE = 35;

/** Maximum length of the field that people do not see. */
export const MAX_HONEYPOT = 1000;

/** Path parameters of the public routes of a newsletter. */
export const publicKeyParams = lazySchema(() =>
  z.object({ public_key: z.string().regex(new RegExp(PUBLIC_KEY_PATTERN)) }),
);

/** Path parameters of a confirmation link. */
export const confirmationParams = lazySchema(() =>
  z.object({ token: z.string().regex(new RegExp(CONFIRMATION_TOKEN_PATTERN)) }),
);

/** Query of the hosted page and of the form. Any other language counts as missing. */
export const signUpQuery = lazySchema(() => z.object({ language: z.string().optional() }));

/** Body of `POST /api/v1/public/newsletters/{public_key}/subscribe`, as JSON or form. */
export const signUpSchema = lazySchema(() =>
  z
    .object({
      email: z.string().meta({ pattern: addressPattern }).describe("address of the subscriber"),
      first_name: z.string().max(MAX_FIRST_NAME).nullish().describe("used in mails"),
      language: z
        .string()
        .max(MAX_LANGUAGE)
        .nullish()
        .describe("`en` or `fr`; else the language of the browser or of the newsletter"),
      website: z
        .string()
        .max(MAX_HONEYPOT)
        .nullish()
        .describe("must be empty; a program that fills it is not subscribed"),
      turnstile_token: z
        .string()
        .max(MAX_TURNSTILE_TOKEN)
        .nullish()
        .describe("response of the Turnstile widget, if the newsletter uses it"),
    })
    .meta({ examples: [{ email: "mina@example.com", first_name: "Mina", language: "en" }] }),
);

/** Response to a sign-up. It is the same for every address. */
export const signUpResponseSchema = lazySchema(() =>
  z.object({ status: z.literal("pending") }).meta({ examples: [{ status: "pending" }] }),
);
