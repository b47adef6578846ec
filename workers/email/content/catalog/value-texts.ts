import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { memoizePerIsolate } from "../../../kit/memoize-per-isolate";
import { textValue, type Variables } from "../tokens/values";

type ValueTexts = Record<EmailLanguage, string>;

const bilingual = (en: string, fr: string): ValueTexts => ({ en, fr });

const SOURCES: Readonly<Record<string, ValueTexts>> = {
  admin: bilingual("An administrator", "Un administrateur"),
  command: bilingual("An operator", "Un opérateur"),
  invitation: bilingual("An invitation", "Une invitation"),
  magic_link: bilingual("A first sign-in by email", "Une première connexion par e-mail"),
  manual: bilingual("An administrator", "Un administrateur"),
  oauth: bilingual("A first sign-in with a provider", "Une première connexion par un fournisseur"),
  scim: bilingual("The directory", "L’annuaire"),
  self: bilingual("The person", "La personne elle-même"),
};

const FIELDS: Readonly<Record<string, ValueTexts>> = {
  access_state: bilingual("Access", "Accès"),
  display_name: bilingual("Name", "Nom"),
  email: bilingual("Email address", "Adresse e-mail"),
  first_name: bilingual("First name", "Prénom"),
  is_active: bilingual("Access", "Accès"),
  is_company_owner: bilingual("Ownership", "Statut de propriétaire"),
  is_staff: bilingual("Staff access", "Accès de l’équipe technique"),
  language: bilingual("Language", "Langue"),
  last_name: bilingual("Last name", "Nom de famille"),
  metadata: bilingual("Other details", "Autres informations"),
  region: bilingual("Time zone", "Fuseau horaire"),
  role: bilingual("Role", "Rôle"),
  state_reason: bilingual("Access", "Accès"),
  user_metadata: bilingual("Other details", "Autres informations"),
  user_name: bilingual("User name", "Nom d’utilisateur"),
  username: bilingual("User name", "Nom d’utilisateur"),
};

const ERRORS: Readonly<Record<string, ValueTexts>> = {
  artifact_extract_failed: bilingual(
    "The uploaded archive could not be unpacked. It may be damaged or cut short: build it again, then deploy once more.",
    "L’archive envoyée n’a pas pu être décompressée. Elle est peut-être endommagée ou incomplète\u00a0: recréez-la, puis relancez le déploiement.",
  ),
  artifact_missing: bilingual(
    "The uploaded archive was not there any more. Upload it again, then deploy once more.",
    "L’archive envoyée n’était plus là. Envoyez-la de nouveau, puis déployez une nouvelle fois.",
  ),
};

const CHANGES: Readonly<Record<string, ValueTexts>> = {
  members_added: bilingual("People joined the group.", "Des personnes ont rejoint le groupe."),
  members_removed: bilingual("People left the group.", "Des personnes ont quitté le groupe."),
  members_replaced: bilingual(
    "The list of its members was replaced by another.",
    "La liste de ses membres a été remplacée par une autre.",
  ),
};

const OPERATIONS: Readonly<Record<string, ValueTexts>> = {
  create: bilingual("Create it", "Création"),
  create_group: bilingual("Create a group", "Création d’un groupe"),
  end_last_owner: bilingual("Remove the access of the last owner", "Retrait de l’accès du dernier propriétaire"),
  create_user: bilingual("Create an account", "Création d’un compte"),
  delete: bilingual("Delete it", "Suppression"),
  rename: bilingual("Rename it", "Changement de nom"),
  update: bilingual("Change it", "Modification"),
  update_group: bilingual("Rename a group", "Changement du nom d’un groupe"),
  update_user: bilingual("Change an account", "Modification d’un compte"),
};

/** Results of requests to the receiver of a webhook. A status such as `HTTP 503` needs no translation. */
const RESPONSES: Readonly<Record<string, ValueTexts>> = {
  abandoned: bilingual("No result", "Aucun résultat"),
  connection_error: bilingual("No connection", "Connexion impossible"),
  dns_error: bilingual("The host name is unknown", "Nom d’hôte inconnu"),
  redirect_blocked: bilingual("A redirect, which is not followed", "Une redirection, qui n’est pas suivie"),
  secret_unavailable: bilingual("The secret cannot be read", "Le secret est illisible"),
  ssrf_blocked: bilingual("The address is not public", "L’adresse n’est pas publique"),
  timeout: bilingual("No response in time", "Aucune réponse dans le délai"),
};

/** What a threshold of a quota means, by percent. */
const THRESHOLDS: Readonly<Record<string, ValueTexts>> = {
  "100": bilingual(
    "There is no space left: new files are rejected until files are deleted or the quota is raised. Stored files stay available.",
    "Il ne reste plus de place\u00a0: les nouveaux fichiers sont refusés tant que vous n’en supprimez pas ou n’augmentez pas le quota. Les fichiers existants restent disponibles.",
  ),
  "80": bilingual(
    "There is still space for new files. When it is used up, they are rejected.",
    "Il reste encore de la place. Une fois l’espace plein, les nouveaux fichiers seront refusés.",
  ),
};

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"] as const;

/** Formats bytes, as in 1.5 GB. A kilobyte has 1,024 bytes, like in the shell. */
const formatBytes: Translate = (bytes, language) => {
  let value = Number(bytes);
  let step = 0;
  // A value that would round to 1,024 is shown in the next unit.
  while (value >= 1023.95 && step < UNITS.length - 1) {
    value /= 1024;
    step += 1;
  }
  const unit = UNITS[step] ?? "byte";
  return Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 })
    .format(value)
    .replace("\u202f", "\u00a0");
};

const countryNames = memoizePerIsolate(
  2,
  (language: EmailLanguage) => new Intl.DisplayNames([language], { type: "region", fallback: "none" }),
);

/** Returns the name of a country by its two-letter code, or "" for an unknown code such as XX or T1. */
const countryName: Translate = (code, language) =>
  /^[A-Z]{2}$/.test(code) && code !== "XX" ? (countryNames(language).of(code) ?? "") : "";

/** The words for the members of a group whose names a mail lists, by the change. */
const MEMBER_WORDS: Readonly<Record<string, string>> = { members_added: "joined", members_removed: "left" };

/** Authors that are not users. */
const ACTORS: Readonly<Record<string, ValueTexts>> = {
  scim: bilingual("The directory", "L’annuaire"),
  system: bilingual("The platform", "La plateforme"),
};

const TYPES: Readonly<Record<string, ValueTexts>> = {
  "application/json": bilingual("JSON", "JSON"),
  "application/pdf": bilingual("PDF", "PDF"),
  "application/zip": bilingual("ZIP archive", "Archive ZIP"),
  "image/gif": bilingual("GIF image", "Image GIF"),
  "image/jpeg": bilingual("JPEG image", "Image JPEG"),
  "image/png": bilingual("PNG image", "Image PNG"),
  "image/svg+xml": bilingual("SVG image", "Image SVG"),
  "text/csv": bilingual("CSV table", "Tableau CSV"),
  "text/plain": bilingual("Text", "Texte"),
};

const BUCKETS: Readonly<Record<string, ValueTexts>> = {
  company: bilingual("Files of the company", "Fichiers de l’entreprise"),
};

/** Returns the readable form of a machine value that has no translation. */
const withSpaces = (value: string): string => value.replaceAll("_", " ");

const UNKNOWN_ERROR = bilingual(
  "The code below names the reason. Correct it, then deploy once more.",
  "Le code ci-dessous en donne la raison. Corrigez, puis déployez à nouveau.",
);

type Translate = (value: string, language: EmailLanguage) => string;

const translateFrom =
  (table: Readonly<Record<string, ValueTexts>>, fallback: Translate): Translate =>
  (value, language) =>
    (Object.hasOwn(table, value) ? table[value]?.[language] : undefined) ?? fallback(value, language);

/** Translations of machine values, by the variable that contains the value. */
const TRANSLATIONS: Readonly<Record<string, Translate>> = {
  bucket_name: translateFrom(BUCKETS, (value) => value),
  // An unknown change has no translation. The token is then empty, so that the mail shows the default sentence of its text.
  country_code: countryName,
  change: translateFrom(CHANGES, () => ""),
  changed_fields: (value, language) =>
    [...new Set(value.split(/\s*,\s*/).map((field) => translateFrom(FIELDS, withSpaces)(field, language)))].join(", "),
  last_status: translateFrom(RESPONSES, withSpaces),
  max_bytes: formatBytes,
  threshold: translateFrom(THRESHOLDS, () => ""),
  used_bytes: formatBytes,
  error: translateFrom(ERRORS, (_value, language) => UNKNOWN_ERROR[language]),
  mime_type: translateFrom(TYPES, (value) => value),
  operation: translateFrom(OPERATIONS, withSpaces),
  source: translateFrom(SOURCES, withSpaces),
};

/**
 * Returns the tokens `system.words.<variable>`, which translate the machine values in the variables of a mail, and
 * `system.words.actor`: the name of the author, or what the author is. `system.words.joined`, `left` or `members` are the names of
 * the members of a group that changed.
 */
export function valueTexts(variables: Readonly<Variables>, language: EmailLanguage): Record<string, string> {
  const tokens = Object.entries(TRANSLATIONS).flatMap(([token, translate]) => {
    const value = textValue(variables, token);
    return value === "" ? [] : [[`words.${token}`, translate(value, language)] as const];
  });
  const actor = textValue(variables, "actor_name") || ACTORS[textValue(variables, "actor_kind")]?.[language];
  const members = textValue(variables, "member_names");
  const memberWord = MEMBER_WORDS[textValue(variables, "change")] ?? "members";
  return Object.fromEntries([
    ...tokens,
    ...(actor === undefined ? [] : [["words.actor", actor] as const]),
    ...(members === "" ? [] : [[`words.${memberWord}`, members] as const]),
  ]);
}
