import {
  MAX_FIRST_NAME,
  MAX_HONEYPOT,
  MAX_LANGUAGE,
  MAX_TURNSTILE_TOKEN,
} from "../../../../schemas/email/audience/sign-up";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { FieldErrors } from "../../../../schemas/errors";
import { plainName } from "../../../../schemas/text/name";
import { readJson } from "../../../kit/http/request/body";
import { isForm, mediaTypeOf, readForm } from "../../../kit/http/request/form";
import { isAbsent } from "../../../kit/json";
import { readAddress } from "../../records/seal/address";

/** The fields of a sign-up. `typed` is what a form must show again when a field is invalid. `language` null: not chosen. */
export type SignUpInput = {
  email: string | null;
  firstName: string;
  language: EmailLanguage | null;
  turnstileToken: string;
  /** whether a program filled the field that people do not see */
  isBot: boolean;
  errors: FieldErrors;
  typed: { email: string; firstName: string };
};

const MAX_LENGTHS: Readonly<Record<string, number>> = {
  first_name: MAX_FIRST_NAME,
  language: MAX_LANGUAGE,
  website: MAX_HONEYPOT,
  turnstile_token: MAX_TURNSTILE_TOKEN,
};

/** Reads the fields of a JSON body or form; their errors are part of the result. Throws 413, 415, or 400 `body: [invalid]`. */
export async function readSignUp(request: Request): Promise<SignUpInput> {
  const fields = isForm(mediaTypeOf(request)) ? Object.fromEntries(await readForm(request)) : await readJson(request);
  const errors: FieldErrors = {};
  const text = (name: string): string => {
    const value = fields[name];
    if (isAbsent(value)) return "";
    const max = MAX_LENGTHS[name];
    const isText = typeof value === "string";
    if (isText && (max === undefined || value.trim().length <= max)) return value.trim();
    errors[name] = [isText ? "too_long" : name === "email" ? "invalid_format" : "invalid"];
    return isText && name === "first_name" ? value.trim() : "";
  };
  const [address, name, language] = [text("email"), text("first_name"), text("language")];
  const [website, turnstileToken] = [text("website"), text("turnstile_token")];
  const email = readAddress(address);
  if (email === null) errors.email ??= [address === "" ? "required" : "invalid_format"];
  if (/\p{Cc}/u.test(name)) errors.first_name ??= ["invalid"];
  return {
    email,
    // The mail goes to an address that anyone may enter, so a name must not become a link.
    firstName: plainName(name),
    language: language === "en" || language === "fr" ? language : null,
    turnstileToken,
    isBot: website !== "",
    errors,
    typed: { email: address.slice(0, 254), firstName: name.slice(0, MAX_FIRST_NAME) },
  };
}
