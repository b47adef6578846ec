import type { PictureName } from "../../../format/pictures";

/** A product of a sample order. `price` is "" in mail that shows no amounts. */
export interface SampleProduct {
  picture: PictureName;
  name: string;
  note: string;
  price: string;
}

/** A story with a picture. */
export interface SampleArticle {
  picture: PictureName;
  alt: string;
  title: string;
  text: string;
  link: string;
}

type Pairs = Readonly<Record<string, string>>;

/** A sample section of a design. It shows authors what a mail could contain. */
export type Section =
  | { kind: "picture"; picture: PictureName; alt: string }
  | { kind: "facts"; rows: Pairs }
  | { kind: "columns"; items: Pairs }
  | { kind: "cards"; items: Readonly<Record<string, readonly [title: string, text: string]>> }
  | { kind: "changes"; items: readonly (readonly [tag: string, title: string, text: string])[] }
  | { kind: "steps"; items: Pairs }
  | { kind: "bullets"; title: string; items: readonly string[] }
  | { kind: "texts"; items: readonly string[] }
  | { kind: "link"; label: string }
  | { kind: "signature"; name: string; role: string }
  | { kind: "articles"; items: readonly SampleArticle[] }
  | { kind: "products"; items: readonly SampleProduct[]; totals: Pairs; isOrder: boolean }
  | { kind: "grid"; items: readonly (SampleProduct & { was: string })[] }
  | { kind: "progress"; steps: readonly string[]; done: number }
  | { kind: "amounts"; rows: Pairs }
  | { kind: "offer"; large: string; text: string; code: string }
  | { kind: "quote"; text: string; by: string };

/** A part of a mail in its place. The words stand for texts of the body. */
export type Part = Section | "heading" | "lead" | "action" | "footnote";

/** The texts of a design and their order, which are the same in every design set. Authors replace them. */
export interface Body {
  name: string;
  subject: string;
  preheader: string;
  /**
   * The look of the frame. `security` mail never looks like advertising, `receipt` mail is quieter than `news`, and a `letter` has
   * no decoration.
   */
  tone: "security" | "receipt" | "letter" | "news";
  /** A short line above the heading. Only some design sets show it, and never in security mail. */
  eyebrow: string;
  title: string;
  lead: string;
  /** The label of the button. */
  action?: string;
  parts: readonly Part[];
  footnote?: string;
  /** The reason why the recipient got the mail, for the footer. */
  reason: string;
  /** Whether the mail ends with the link of the button as plain text. */
  hasAddress?: true;
}

export const TEAM = '{{ company_name|default:"the team" }}';
export const US = '{{ company_name|default:"us" }}';
export const SHOP = '{{ company_name|default:"our shop" }}';
