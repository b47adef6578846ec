import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { readEnvText } from "../../../scripts/support/older-util.ts";

test.each([
  "A=1",
  "A=1\r\nB=2\r\n",
  "# said\n\nA = spaced  # and said\nexport B=2",
  `A="two\nlines # and more"\nB='single "double"' # said`,
  `A="one\\ntwo"\nB='one\\ntwo'`,
  "A=\nB=''\nC=x=y==\nA.B-C=`tick's`",
  "nothing here\n=x\n A=indented",
  `A='open\nB=2`,
  "URL=postgres://a:b@c:5432/d?e=f",
])("parses an .env file as Node does: %j", (text) => {
  expect(readEnvText(text)).toEqual({ ...parseEnv(text) });
});
