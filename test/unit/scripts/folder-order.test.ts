import { describe, expect, it } from "vitest";
import { checkFolderOrder } from "../../../scripts/support/folder-order";

const order = ["intake/send", "delivery/attempts", "content"];
const check = (path: string, text: string) => checkFolderOrder(new Map([[path, text]]), order);

describe("the order of folders", () => {
  it("rejects a value import from a folder above", () => {
    const { upward } = check("content/render.ts", 'import {\n  type A,\n  send,\n} from "../intake/send/send";\n');
    expect(upward).toEqual([
      { file: "content/render.ts", from: "content", to: "intake/send", source: "../intake/send/send" },
    ]);
    expect(check("delivery/attempts/a.ts", 'export * from "../../intake/send/send";').upward).toHaveLength(1);
  });

  it("accepts imports from folders below, from the same folder, from the room itself and of types", () => {
    const text = [
      'import { claim } from "../../delivery/attempts/claim";',
      'import { html } from "../../content/html";',
      'import { batch } from "./batch";',
      'import { settings } from "../../settings";',
      'import { db } from "../../../kit/db/db";',
    ].join("\n");
    expect(check("intake/send/send.ts", text)).toEqual({ unlisted: [], upward: [] });
    const types =
      'import type { Send } from "../intake/send/send";\nimport { type Send } from "../intake/send/send";\n';
    expect(check("content/html.ts", types).upward).toEqual([]);
    expect(check("app.ts", 'import { mountSend } from "./intake/send/send.routes";').upward).toEqual([]);
  });

  it("names a folder that has no place in the order", () => {
    expect(check("audience/lists/list.ts", "").unlisted).toEqual(["audience/lists"]);
  });
});
