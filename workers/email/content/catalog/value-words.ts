import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";

type Words = Record<EmailLanguage, string>;

const words = (en: string, fr: string): Words => ({ en, fr });

const SOURCES: Readonly<Record<string, Words>> = {
  admin: words("An administrator", "Un administrateur"),
  command: words("An operator", "Un opérateur"),
  invitation: words("An invitation", "Une invitation"),
  magic_link: words("A first sign-in by email", "Une première connexion par e-mail"),
  manual: words("An administrator", "Un administrateur"),
  oauth: words("A first sign-in with a provider", "Une première connexion par un fournisseur"),
  scim: words("The directory", "L’annuaire"),
  self: words("The person", "La personne elle-même"),
};

const FIELDS: Readonly<Record<string, Words>> = {
  access_state: words("Access", "Accès"),
  display_name: words("Name", "Nom"),
  email: words("Email address", "Adresse e-mail"),
  first_name: words("First name", "Prénom"),
  is_active: words("Access", "Accès"),
  is_company_owner: words("Ownership", "Statut de propriétaire"),
  is_staff: words("Staff access", "Accès de l’équipe technique"),
  language: words("Language", "Langue"),
  last_name: words("Last name", "Nom de famille"),
  metadata: words("Other details", "Autres informations"),
  region: words("Time zone", "Fuseau horaire"),
  role: words("Role", "Rôle"),
  state_reason: words("Access", "Accès"),
  user_metadata: words("Other details", "Autres informations"),
  username: words("User name", "Nom d’utilisateur"),
};

const ERRORS: Readonly<Record<string, Words>> = {
  artifact_extract_failed: words(
    "The uploaded archive could not be unpacked. It may be damaged or cut short: build it again, then deploy once more.",
    "L’archive envoyée n’a pas pu être décompressée. Elle est peut-être endommagée ou incomplète\u00a0: recréez-la, puis relancez le déploiement.",
  ),
  artifact_missing: words(
    "The uploaded archive was not there any more. Upload it again, then deploy once more.",
    "L’archive envoyée n’était plus là. Envoyez-la de nouveau, puis déployez une nouvelle fois.",
  ),
};

const CHANGES: Readonly<Record<string, Words>> = {
  members_added: words("People joined the group.", "Des personnes ont rejoint le groupe."),
  members_removed: words("People left the group.", "Des personnes ont quitté le groupe."),
  members_replaced: words(
    "The list of its members was replaced by another.",
    "La liste de ses membres a été remplacée par une autre.",
  ),
};

const OPERATIONS: Readonly<Record<string, Words>> = {
  create: words("Create it", "Création"),
  create_group: words("Create a group", "Création d’un groupe"),
  create_user: words("Create an account", "Création d’un compte"),
  delete: words("Delete it", "Suppression"),
  rename: words("Rename it", "Changement de nom"),
  update: words("Change it", "Modification"),
  update_group: words("Rename a group", "Changement du nom d’un groupe"),
  update_user: words("Change an account", "Modification d’un compte"),
};

const TYPES: Readonly<Record<string, Words>> = {
  "application/json": words("JSON", "JSON"),
  "application/pdf": words("PDF", "PDF"),
  "application/zip": words("ZIP archive", "Archive ZIP"),
  "image/gif": words("GIF image", "Image GIF"),
  "image/jpeg": words("JPEG image", "Image JPEG"),
  "image/png": words("PNG image", "Image PNG"),
  "image/svg+xml": words("SVG image", "Image SVG"),
  "text/csv": words("CSV table", "Tableau CSV"),
  "text/plain": words("Text", "Texte"),
};

const BUCKETS: Readonly<Record<string, Words>> = {
  company: words("Files of the company", "Fichiers de l’entreprise"),
};

/** A machine value that nobody has words for, as it can be read. */
const spelled = (value: string): string => value.replaceAll("_", " ");

const NO_ERROR_WORDS = words(
  "The code below names the reason. Correct it, then deploy once more.",
  "Le code ci-dessous en donne la raison. Corrigez, puis déployez à nouveau.",
);

type Translate = (value: string, language: EmailLanguage) => string;

const from =
  (table: Readonly<Record<string, Words>>, otherwise: Translate): Translate =>
  (value, language) =>
    (Object.hasOwn(table, value) ? table[value]?.[language] : undefined) ?? otherwise(value, language);

/** What says a machine value in words, by the variable that carries it. */
const TRANSLATIONS: Readonly<Record<string, Translate>> = {
  bucket_name: from(BUCKETS, (value) => value),
  // A sentence or nothing: the mail has its own for what is not known here.
  change: from(CHANGES, () => ""),
  changed_fields: (value, language) =>
    [...new Set(value.split(/\s*,\s*/).map((field) => from(FIELDS, spelled)(field, language)))].join(", "),
  error: from(ERRORS, (_value, language) => NO_ERROR_WORDS[language]),
  mime_type: from(TYPES, (value) => value),
  operation: from(OPERATIONS, spelled),
  source: from(SOURCES, spelled),
};

/** The machine values among the variables of a mail in words of its language, as tokens `system.words.<variable>`. */
export function valueWords(
  variables: Readonly<Record<string, string>>,
  language: EmailLanguage,
): Record<string, string> {
  const tokens = Object.entries(TRANSLATIONS).flatMap(([token, translate]) => {
    const value = variables[token] ?? "";
    return value === "" ? [] : [[`words.${token}`, translate(value, language)] as const];
  });
  return Object.fromEntries(tokens);
}
