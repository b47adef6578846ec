import type { Attributes, DocumentNode } from "../../format/document";
import type { PictureName } from "../../format/pictures";
import { PICTURE_SIZES, pictureSource } from "../../format/pictures";
import type { SampleArticle, Section } from "./bodies/body";
import { block, details, joinLastWords, linked, paragraph, TEXT_SLOTS } from "./pieces";

/** How a design set draws the sections. */
export interface SectionLook {
  /** Key of the set, which names its pictures. */
  set: string;
  /** Radius of pictures in px. */
  radius: number;
  /** `stacked`: a story is a column with the picture on top. `beside`: the picture is next to the text. */
  articles: "stacked" | "beside";
  /** Whether changes are rows of a table instead of paragraphs with a label. */
  hasChangeTable?: boolean;
}

const SAMPLE: Attributes = { textId: TEXT_SLOTS.sample };
/** The target of sample links. An author replaces it. */
const SAMPLE_TARGET = "{{ action_url }}";
/** Inner width in px of the panel, for mail clients that do not scale pictures to their column. */
const PANEL_PX = 504;
const THUMBNAIL_PX = 64;

const group = (content: readonly DocumentNode[], look = "", type = "div"): DocumentNode => ({
  type,
  attrs: { ...SAMPLE, ...(look === "" ? {} : { class: look }) },
  content,
});

const boxed = (content: readonly DocumentNode[], look = "box"): DocumentNode[] => [
  group(content, look, "section"),
  paragraph("\u00a0", { class: "gap", ...SAMPLE }),
];

const subheading = (text: string, look = "story"): DocumentNode =>
  block("heading", joinLastWords(text), { level: 2, class: look });

const body = (text: string, look = "story-text"): DocumentNode => paragraph(joinLastWords(text), { class: look });

/** Returns a picture that fills its column. The text part omits sample pictures. `px` is the width for Outlook, which ignores relative widths. */
function fluidPicture(look: SectionLook, name: PictureName, alt: string, px: number): DocumentNode {
  const [width, height] = PICTURE_SIZES[name];
  const style = `display:block;width:100%;border-radius:${look.radius}px`;
  const size = { width: px, height: Math.round((px * height) / width) };
  return { type: "image", attrs: { src: pictureSource(look.set, name), alt, ...size, style, class: "html-only" } };
}

function thumbnail(look: SectionLook, name: PictureName, alt: string): DocumentNode {
  const style = `display:block;border-radius:${Math.min(look.radius, 10)}px`;
  const size = { width: THUMBNAIL_PX, height: THUMBNAIL_PX };
  return { type: "image", attrs: { src: pictureSource(look.set, name), alt, ...size, style, class: "html-only" } };
}

const column = (look: string, width: string, content: readonly DocumentNode[]): DocumentNode => ({
  type: "columnsColumn",
  attrs: { class: look, width },
  content,
});

const twoColumns = (left: DocumentNode, right: DocumentNode): DocumentNode => ({
  type: "twoColumns",
  attrs: SAMPLE,
  content: [left, right],
});

/** Returns rows of two equal columns. A column without a partner gets an empty one. */
function halves(cells: readonly (readonly DocumentNode[])[]): DocumentNode[] {
  const rows = Math.ceil(cells.length / 2);
  return Array.from({ length: rows }, (_, row) =>
    twoColumns(column("half-left", "50%", cells[2 * row] ?? []), column("half-right", "50%", cells[2 * row + 1] ?? [])),
  );
}

const cell = (look: string, content: readonly DocumentNode[], attrs: Attributes = {}): DocumentNode => ({
  type: "tableCell",
  attrs: { class: look, ...attrs },
  content,
});

const tableOf = (look: string, content: readonly DocumentNode[], attrs: Attributes): DocumentNode => ({
  type: "table",
  attrs: { class: look, width: "100%", border: 0, cellpadding: 0, cellspacing: 0, ...attrs },
  content,
});

const row = (...content: readonly DocumentNode[]): DocumentNode => ({ type: "tableRow", content });

/** Returns rows of amounts. The last one is the total. `columns` is the number of columns before the amounts. */
function amountRows(amounts: Readonly<Record<string, string>>, columns: number): DocumentNode[] {
  const entries = Object.entries(amounts);
  return entries.map(([label, amount], index) => {
    const isTotal = index === entries.length - 1;
    const line = isTotal ? "value-cell total-cell" : index === 0 ? "value-cell" : "value-cell sum-cell";
    const text = isTotal ? "value total" : "value soft-value";
    return row(
      cell(line, [paragraph(label, { class: text })], columns > 1 ? { colspan: columns } : { width: "70%" }),
      cell(line, [paragraph(amount, { class: `${text} end` })], { width: "30%" }),
    );
  });
}

/** Returns the products of an order with a small picture each, and the rows of its amounts. */
function products(look: SectionLook, section: Extract<Section, { kind: "products" }>): DocumentNode {
  const slot = section.isOrder ? { textId: TEXT_SLOTS.items } : SAMPLE;
  const rows = section.items.map(({ picture, name, note, price }) =>
    row(
      cell("value-cell", [thumbnail(look, picture, name)], { width: "84", valign: "top" }),
      cell("value-cell", [
        paragraph(name, { class: "value product line" }),
        paragraph(note, { class: "value soft-value line" }),
      ]),
      cell("value-cell", [paragraph(price, { class: "value product end" })], { width: "26%" }),
    ),
  );
  return tableOf("details", [...rows, ...amountRows(section.totals, 2)], slot);
}

/** Returns the steps of a parcel as bars with a label. The text part says the step in words, so it omits the bars. */
function progress({ steps, done }: Extract<Section, { kind: "progress" }>): DocumentNode {
  const cells = steps.map((label, index) => {
    const isCurrent = index === done - 1;
    return cell(
      "step-cell",
      [
        paragraph("\u00a0", { class: index < done ? "bar bar-done" : "bar" }),
        paragraph(label, { class: isCurrent ? "step-label step-current" : "step-label" }),
      ],
      { width: `${Math.floor(100 / steps.length)}%`, valign: "top" },
    );
  });
  return tableOf("progress html-only", [row(...cells)], SAMPLE);
}

const story = ({ title, text, link }: SampleArticle): DocumentNode[] => [
  subheading(title),
  body(text, "story"),
  linked(link, SAMPLE_TARGET, { class: "story-text" }),
];

function articles(look: SectionLook, items: readonly SampleArticle[]): DocumentNode[] {
  if (look.articles === "stacked") {
    return items.map((item) => group([vignette(look, item), ...story(item), paragraph("\u00a0", { class: "gap" })]));
  }
  return items.map((item) =>
    twoColumns(
      column("picture-left", "38%", [fluidPicture(look, item.picture, item.alt, 190)]),
      column("picture-right", "62%", story(item)),
    ),
  );
}

/** Returns a picture in its own size, which follows the alignment of the text. */
function vignette(look: SectionLook, { picture, alt }: SampleArticle): DocumentNode {
  const [width, height] = PICTURE_SIZES[picture];
  const attrs = { src: pictureSource(look.set, picture), alt, width, height, style: `border-radius:${look.radius}px` };
  return { type: "paragraph", attrs: { class: "vignette html-only" }, content: [{ type: "image", attrs }] };
}

function changes(look: SectionLook, items: readonly (readonly [string, string, string])[]): DocumentNode[] {
  if (look.hasChangeTable)
    return [details(Object.fromEntries(items.map(([tag, title, text]) => [tag, `${title}. ${text}`])), SAMPLE)];
  return items.map(([tag, title, text], index) =>
    group([paragraph(tag, { class: index === 0 ? "tag tag-first" : "tag" }), subheading(title), body(text)]),
  );
}

/** Returns the nodes of a sample section. */
export function writeSection(section: Section, look: SectionLook): DocumentNode[] {
  switch (section.kind) {
    case "picture":
      return [
        group([
          fluidPicture(look, section.picture, section.alt, PANEL_PX),
          paragraph("\u00a0", { class: "gap html-only" }),
        ]),
      ];
    case "facts":
      return [details(section.rows, SAMPLE)];
    case "columns":
      return halves(Object.entries(section.items).map(([title, text]) => [subheading(title), body(text)]));
    case "cards":
      return [
        ...halves(
          Object.entries(section.items).map(([label, [title, text]], index) => [
            group(
              [
                paragraph(label, { class: "eyebrow card-label" }),
                subheading(title),
                paragraph(text, { class: "muted" }),
              ],
              index === 0 ? "card" : "card card-current",
              "section",
            ),
          ]),
        ),
      ];
    case "changes":
      return changes(look, section.items);
    case "steps":
      return [
        {
          type: "orderedList",
          attrs: SAMPLE,
          content: Object.entries(section.items).map(([title, text]) => ({
            type: "listItem",
            content: [subheading(title, "step"), paragraph(text, { class: "step" })],
          })),
        },
      ];
    case "bullets":
      return boxed([
        subheading(section.title),
        {
          type: "bulletList",
          content: section.items.map((text) => ({ type: "listItem", content: [paragraph(text, { class: "step" })] })),
        },
      ]);
    case "texts":
      return section.items.map((text) => paragraph(joinLastWords(text), SAMPLE));
    case "link":
      return [linked(section.label, SAMPLE_TARGET, SAMPLE)];
    case "signature":
      return [
        group(
          [paragraph(section.name, { class: "line" }), paragraph(section.role, { class: "muted line" })],
          "signature",
        ),
      ];
    case "articles":
      return articles(look, section.items);
    case "products":
      return [products(look, section)];
    case "grid":
      return halves(
        section.items.map(({ picture, name, price, was }) => [
          fluidPicture(look, picture, name, 240),
          paragraph(name, { class: "value product below-picture" }),
          {
            type: "paragraph",
            attrs: { class: "value" },
            content: [
              { type: "text", text: price },
              { type: "text", text: " instead of " },
              { type: "text", text: was, marks: [{ type: "strike" }] },
            ],
          },
        ]),
      );
    case "progress":
      return [progress(section)];
    case "amounts":
      return [tableOf("details", amountRows(section.rows, 1), SAMPLE)];
    case "offer":
      return boxed([
        paragraph(section.large, { class: "offer" }),
        paragraph(section.text),
        paragraph(section.code, { class: "code boxed-code" }),
      ]);
    case "quote":
      return [
        {
          type: "blockquote",
          attrs: SAMPLE,
          content: [
            paragraph(joinLastWords(section.text), { class: "said" }),
            paragraph(section.by, { class: "muted" }),
          ],
        },
      ];
  }
}
