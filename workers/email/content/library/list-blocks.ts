import type { CatalogEvent, CatalogVariable } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { Attributes, DocumentNode } from "../format/document";
import { ITEM_PICTURE, PICTURE_NAME } from "../format/pictures";
import { colonOf } from "../render/text";
import { ITEM_PREFIX } from "../tokens/token";
import { block, linked, paragraph } from "./designs/pieces";

/** Maximum columns of amounts. On a phone, more of them would leave no space for the name of the item. */
const MAX_AMOUNTS = 2;
/** Widths of the columns by the number of amounts. */
const WIDTHS = [["100%"], ["70%", "30%"], ["50%", "20%", "30%"]] as const;

const isAmount = ({ value_type }: CatalogVariable): boolean => value_type === "number" || value_type === "money";

/**
 * Returns the variables that are totals of the lists of an event: all amounts of money of an event with a list. Their rows follow
 * those of the items, so the facts of the event omit them.
 */
export function totalsOf({ variables }: Pick<CatalogEvent, "variables">): readonly CatalogVariable[] {
  const hasList = variables.some(({ value_type }) => value_type === "list");
  return hasList ? variables.filter(({ value_type }) => value_type === "money") : [];
}

/**
 * Returns a table for each list of an event: a row for each item, with its name first and its amounts last. The totals of the
 * event follow the last list. A list of texts becomes a section for each item instead, such as the stories of a newsletter.
 */
export function listBlocks(event: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const lists = event.variables.filter(({ value_type }) => value_type === "list");
  return lists.map((list, index) => {
    const totals = index === lists.length - 1 ? totalsOf(event) : [];
    return totals.length === 0 && isProse(list) ? proseSection(list) : listTable(list, totals, language);
  });
}

const isUrl = ({ type }: CatalogVariable): boolean => type === "url";
const isPicture = (field: CatalogVariable): boolean => isUrl(field) && field.token === PICTURE_NAME;
const isTarget = (field: CatalogVariable): boolean => isUrl(field) && !isPicture(field);
/** Width of a story picture in px for Outlook, which ignores relative widths. */
const STORY_PICTURE_PX = 504;
const ITEM_PICTURE_PX = 48;

/** Returns the picture of a list item, which the text beside it names. It has a tinted box until the mail client loads it. */
function itemPicture(attrs: Attributes): DocumentNode {
  return { type: "image", attrs: { src: ITEM_PICTURE, alt: "", ...attrs, when: ITEM_PREFIX + PICTURE_NAME } };
}

/** Returns whether the items of a list consist of a title and texts. */
function isProse({ fields = [] }: CatalogVariable): boolean {
  const texts = fields.filter((field) => !isUrl(field));
  return texts.length > 1 && texts.every(({ value_type = "text" }) => value_type === "text");
}

/** Returns a section that repeats over the list: the first text as a heading, which links to the URL, then the others. */
function proseSection({ token: each, fields = [] }: CatalogVariable): DocumentNode {
  const [title, ...texts] = fields.filter((field) => !isUrl(field));
  const tokenOf = (field: CatalogVariable | undefined) =>
    field === undefined ? "" : `{{ ${ITEM_PREFIX}${field.token} }}`;
  const href = tokenOf(fields.find(isTarget));
  const marks = href === "" ? [] : [{ type: "link", attrs: { href } }];
  return {
    type: "section",
    attrs: { each },
    content: [
      ...(fields.some(isPicture)
        ? [
            itemPicture({
              width: STORY_PICTURE_PX,
              style: "display:block;width:100%;border-radius:6px;margin:0 0 12px",
            }),
          ]
        : []),
      block("heading", tokenOf(title), { level: 2 }, marks),
      ...texts.map((field) => paragraph(tokenOf(field), { when: ITEM_PREFIX + field.token })),
    ],
  };
}

const labelOf = ({ labels, token }: CatalogVariable, language: EmailLanguage): string => labels?.[language] ?? token;

const cell = (name: "key" | "value", attrs: Attributes, ...content: DocumentNode[]): DocumentNode => ({
  type: "tableCell",
  attrs: { class: `${name}-cell`, ...attrs },
  content,
});

const row = (attrs: Attributes, content: readonly DocumentNode[]): DocumentNode => ({
  type: "tableRow",
  attrs,
  content,
});

function listTable(list: CatalogVariable, totals: readonly CatalogVariable[], language: EmailLanguage): DocumentNode {
  const { fields = [] } = list;
  const hasPicture = fields.some(isPicture);
  // Beside a picture, a phone has space for one amount. The others are lines below the name.
  const amounts = fields.filter(isAmount).slice(hasPicture ? -1 : -MAX_AMOUNTS);
  const others = fields.filter((field) => !amounts.includes(field));
  const widths = WIDTHS[amounts.length] ?? WIDTHS[0];
  const width = (column: number): Attributes => ({ width: widths[column] ?? "" });
  const item = ({ token }: CatalogVariable) => ITEM_PREFIX + token;
  const amountCells = amounts.map((field, index) =>
    cell("value", width(index + 1), paragraph(`{{ ${item(field)} }}`, { class: "value end" })),
  );
  const header = row({ when: list.token }, [
    cell("key", width(0), paragraph(labelOf(others[0] ?? list, language), { class: "key" })),
    ...amounts.map((field, index) =>
      cell("value", width(index + 1), paragraph(labelOf(field, language), { class: "key end" })),
    ),
  ]);
  return {
    type: "table",
    attrs: { class: "details", width: "100%", border: 0, cellpadding: 0, cellspacing: 0 },
    content: [
      // One column of prices needs no explanation.
      ...(amounts.length > 1 || amounts[0]?.value_type === "number" ? [header] : []),
      row({ each: list.token }, [cell("key", width(0), ...itemCell(others, language)), ...amountCells]),
      ...totals.map((total, index) =>
        totalRow(total, { columns: widths.length, isLast: index === totals.length - 1 }, language),
      ),
    ],
  };
}

/** Returns the texts of the item, beside its picture if the list declares one and the item has it. */
function itemCell(fields: readonly CatalogVariable[], language: EmailLanguage): DocumentNode[] {
  const texts = itemTexts(fields, language);
  if (!fields.some(isPicture)) return texts;
  const size = { width: ITEM_PICTURE_PX, height: ITEM_PICTURE_PX };
  const column = (look: string, width: string, content: readonly DocumentNode[], attrs: Attributes = {}) => ({
    type: "columnsColumn",
    attrs: { class: look, width, ...attrs },
    content,
  });
  // Without max-width, a browser could shrink the column to nothing beside one of 100%.
  const style = "display:block;max-width:none;border-radius:6px;background-color:rgba(128,128,128,0.14)";
  return [
    {
      type: "twoColumns",
      content: [
        column("item-picture", "60", [itemPicture({ ...size, style })], { when: ITEM_PREFIX + PICTURE_NAME }),
        column("item-texts", "100%", texts),
      ],
    },
  ];
}

/** Returns the name of the item, which links to its URL, and a line for each further field. */
function itemTexts(fields: readonly CatalogVariable[], language: EmailLanguage): DocumentNode[] {
  const [name, ...details] = fields.filter((field) => !isUrl(field));
  const link = fields.find(isTarget);
  const title = name === undefined ? "" : `{{ ${ITEM_PREFIX}${name.token} }}`;
  const attrs = { class: "value" };
  return [
    link === undefined ? paragraph(title, attrs) : linked(title, `{{ ${ITEM_PREFIX}${link.token} }}`, attrs),
    ...details.map((field) => {
      const token = ITEM_PREFIX + field.token;
      const text = `${labelOf(field, language)}${colonOf(language)}{{ ${token} }}`;
      return paragraph(text, { class: "value soft", when: token });
    }),
  ];
}

function totalRow(
  total: CatalogVariable,
  { columns, isLast }: { columns: number; isLast: boolean },
  language: EmailLanguage,
): DocumentNode {
  const look = isLast ? " total" : "";
  const token = `{{ ${total.token} }}`;
  const label = labelOf(total, language);
  if (columns === 1) {
    const text = `${label}${colonOf(language)}${token}`;
    return row({ when: total.token }, [cell("value", {}, paragraph(text, { class: `value end${look}` }))]);
  }
  return row({ when: total.token }, [
    cell("key", columns > 2 ? { colspan: columns - 1 } : {}, paragraph(label, { class: `value${look}` })),
    cell("value", {}, paragraph(token, { class: `value end${look}` })),
  ]);
}
