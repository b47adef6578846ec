import { describe, expect, it } from "vitest";
import { checkFolderOrder, findServiceCrossings } from "../../../scripts/support/folder-order";

const order = ["intake/send", "delivery/attempts", "content"];
const check = (path: string, text: string) => checkFolderOrder(new Map([[path, text]]), order);

describe("order of folders", () => {
  it("rejects an import of a value from a higher folder", () => {
    const { upward } = check("content/render.ts", 'import {\n  type A,\n  send,\n} from "../intake/send/send";\n');
    expect(upward).toEqual([
      { file: "content/render.ts", from: "content", to: "intake/send", source: "../intake/send/send" },
    ]);
    expect(check("delivery/attempts/a.ts", 'export * from "../../intake/send/send";').upward).toHaveLength(1);
  });

  it("accepts imports from lower folders, the same folder and the top folder, and imports of types", () => {
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

  it("reports a folder that is not in the order", () => {
    expect(check("audience/lists/list.ts", "").unlisted).toEqual(["audience/lists"]);
  });
});

describe("imports between services", () => {
  const violationsOf = (file: string, source: string) =>
    findServiceCrossings(new Map([[file, `import type { A } from "${source}";`]]), ["identity", "email"]).map(
      ({ target }) => target,
    );

  it("rejects imports of another service's Worker, tables and schemas, including types", () => {
    const file = "workers/identity/users/members/member.ts";
    expect(violationsOf(file, "../../../email/intake/send/send")).toEqual(["workers/email/intake/send/send"]);
    expect(violationsOf(file, "../../../../db/email/schema")).toEqual(["db/email/schema"]);
    expect(violationsOf(file, "../../../../schemas/email/errors")).toEqual(["schemas/email/errors"]);
    expect(violationsOf("workers/kit/db/db.ts", "../../identity/settings")).toEqual(["workers/identity/settings"]);
  });

  it("accepts imports within a service, from the kit and from shared schemas", () => {
    const file = "workers/identity/users/members/member.ts";
    for (const source of ["../../app", "../../../kit/db/db", "../../../../db/kit/ids", "../../../../schemas/rpc"]) {
      expect(violationsOf(file, source)).toEqual([]);
    }
    expect(violationsOf(file, "../../../../db/identity/schema")).toEqual([]);
  });
});
