type Node = { type: string; attrs?: object; content?: Node[]; text?: string; marks?: object[] };

const paragraph = (...content: Node[]): Node => ({ type: "paragraph", attrs: { style: "color:#123456" }, content });

const row = (index: number): Node => ({
  type: "tableRow",
  content: [`{{ company_name }} ${index}`, `cell ${index}`].map((text) => ({
    type: "tableCell",
    content: [paragraph({ type: "text", text, marks: [{ type: "bold" }] })],
  })),
});

/**
 * Returns a document of at least `bytes` bytes that is valid for a sign-in mail. It contains the button and a table.
 */
export function signInDocument(bytes: number): Node {
  const button = {
    type: "button",
    attrs: { href: "{{ magic_link_url }}" },
    content: [{ type: "text", text: "Sign in" }],
  };
  const documentWithRows = (count: number): Node => {
    const table = { type: "table", content: Array.from({ length: count }, (_, index) => row(index)) };
    return { type: "doc", content: [{ type: "container", content: [button, table] }] };
  };
  const size = (document: Node) => JSON.stringify(document).length;
  const rowSize = size(documentWithRows(2)) - size(documentWithRows(1));
  return documentWithRows(Math.ceil(bytes / rowSize));
}
