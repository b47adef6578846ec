import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { VariableInput } from "../../../../schemas/email/content/event-types";
import type { DesignKey } from "../library/designs/bodies/bodies";

/** The texts of the default mail in one language. `lead` may have several paragraphs, separated by an empty line. */
type PresetTexts = { subject: string; preheader: string; lead: string; button: string; footnote: string };

/** Returns the text in the language of the samples. */
export type InLanguage = (en: string, fr: string) => string;

/** A ready-made event type with its mail. */
export interface Preset {
  labels: Record<EmailLanguage, string>;
  description: Record<EmailLanguage, string>;
  /** Returns the variables with samples in one language. */
  variables: (t: InLanguage) => VariableInput[];
  /** Keys of the designs that suit the mail. The first one is the default. */
  designs: readonly string[];
  texts: Record<EmailLanguage, PresetTexts>;
}

/** The design sets for services and for shops. Their order is the order of preference. */
const SERVICE_SETS = ["barebone", "matte", "protocol"] as const;
const SHOP_SETS = ["studio", "arcane"] as const;

const inSets = (design: DesignKey, sets: readonly string[]): string[] => sets.map((set) => `${set}.${design}`);

/** Returns the keys of a design in the sets for shops. */
export const shopDesigns = (design: DesignKey): string[] => inSets(design, SHOP_SETS);

/** Returns the keys of a design in the sets for services. */
export const serviceDesigns = (design: DesignKey): string[] => inSets(design, SERVICE_SETS);

/** Returns the keys of a design that exists in all sets. */
export const allDesigns = (design: DesignKey): string[] => [...serviceDesigns(design), ...shopDesigns(design)];

type Labels = readonly [en: string, fr: string];
type PlainInput = NonNullable<VariableInput["fields"]>[number];

const variable =
  (value_type: PlainInput["value_type"]) =>
  (name: string, [en, fr]: Labels, sample: unknown): PlainInput => ({
    name,
    value_type,
    required: true,
    labels: { en, fr },
    sample,
  });

export const text = variable("text");
export const url = variable("url");
export const number = variable("number");
export const date = variable("date");

/** Returns an amount of money, with a sample in euros. */
export const money = (name: string, labels: Labels, amount: string): PlainInput =>
  variable("money")(name, labels, { amount, currency: "EUR" });

/** Returns a list. `fields` are the variables of each item, `sample` the sample items. */
export const list = (
  name: string,
  [en, fr]: Labels,
  fields: PlainInput[],
  sample: readonly Record<string, unknown>[],
): VariableInput => ({ name, value_type: "list", required: true, labels: { en, fr }, fields, sample });

/** Returns the variable as one that requests may omit. */
export const optional = <T extends VariableInput>(input: T): T => ({ ...input, required: false });

export const euros = (amount: string) => ({ amount, currency: "EUR" });
