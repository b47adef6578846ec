import type { ComponentChildren } from "preact";
import { createElement, Fragment } from "react";
import { type Block, type Inline, parseMarkdown } from "./markdown.ts";

/** A document. The page has the first heading, so those of the document begin at the second level, whatever it calls them. */
export function Markdown({ source }: { source: string }) {
  return <div class="prose">{fromSecondLevel(parseMarkdown(source)).map(keyed(drawBlock))}</div>;
}

function fromSecondLevel(blocks: Block[]): Block[] {
  const top = Math.min(...blocks.map((block) => (block.kind === "heading" ? block.level : 6)));
  return blocks.map((block) => (block.kind === "heading" ? { ...block, level: block.level - top + 2 } : block));
}

/** Nothing of a document changes its place, so a place is a name. */
const keyed =
  <Part,>(draw: (part: Part) => ComponentChildren) =>
  (part: Part, at: number) => <Fragment key={at}>{draw(part)}</Fragment>;

const drawInlines = (parts: readonly Inline[]) => parts.map(keyed(drawInline));

function drawInline(part: Inline): ComponentChildren {
  if (typeof part === "string") return part;
  const inner = drawInlines(part.text);
  if (part.kind !== "link") return createElement(part.kind, null, inner);
  const outer = /^https?:/i.test(part.href) ? { target: "_blank", rel: "noopener noreferrer" } : {};
  return (
    <a href={part.href} {...outer}>
      {inner}
    </a>
  );
}

function drawBlock(block: Block): ComponentChildren {
  switch (block.kind) {
    case "heading":
      return createElement(`h${Math.min(6, block.level)}`, null, drawInlines(block.text));
    case "paragraph":
      return <p>{drawInlines(block.text)}</p>;
    case "list":
      return createElement(
        block.ordered ? "ol" : "ul",
        null,
        block.items.map(keyed((item) => <li>{drawInlines(item)}</li>)),
      );
    case "quote":
      return <blockquote>{block.blocks.map(keyed(drawBlock))}</blockquote>;
    case "code":
      return <pre>{block.text}</pre>;
    case "table":
      return (
        <div class="table-scroll">
          <table>
            <thead>
              <tr>{block.head.map(keyed((cell) => <th>{drawInlines(cell)}</th>))}</tr>
            </thead>
            <tbody>
              {block.rows.map(keyed((row) => <tr>{row.map(keyed((cell) => <td>{drawInlines(cell)}</td>))}</tr>))}
            </tbody>
          </table>
        </div>
      );
    default:
      return <hr />;
  }
}
