import { type AnyNode, type ArrowFunctionExpression, type Function as FunctionNode, type Program, parse } from "acorn";
import type { Locate, Position } from "./findings.ts";
import type { Bundle } from "./load/bundle.ts";

// Where a value of an evaluated configuration stands in its sources. The bundle is one module in one scope: names lead to what they
// were declared with, spreads and members are followed, and the source map leads from there to the file.

type Names = Map<string, AnyNode>;
/** A node and the scopes around it, innermost first. */
type Place = { node: AnyNode; scopes: readonly Names[] };
type Member = { key: AnyNode | undefined; value: Place };

export type Sources = {
  exported: string | undefined;
  locate: Locate;
  importOf: (module: string) => Position | undefined;
};

/** Reads a bundle: the local name of its export, and the finder of places in it. */
export function readSources(bundle: Bundle, file: string): Sources {
  const program = parse(bundle.code, { ecmaVersion: "latest", sourceType: "module", locations: true });
  const top = namesOf(program.body);
  addNamespaces(program, top);
  const exported = exportedName(program);
  const start: Position = { file, line: 1, column: 1 };
  const originOf = (node: AnyNode | undefined): Position | undefined =>
    node?.loc ? bundle.origin(node.loc.start.line, node.loc.start.column + 1) : undefined;

  const locate: Locate = (path, part = "value") => {
    const entry = exported === undefined ? undefined : top.get(exported);
    if (entry === undefined) return start;
    let place = follow({ node: entry, scopes: [top] });
    let best = originOf(isLiteral(place.node) ? place.node : entry) ?? start;
    for (const [index, key] of path.entries()) {
      const member = memberOf(place, key);
      if (member === undefined) return best;
      place = follow(member.value);
      const isKey = part === "key" && index === path.length - 1;
      const node = isKey || !isLiteral(place.node) ? (member.key ?? member.value.node) : place.node;
      best = originOf(node) ?? best;
    }
    return best;
  };
  const importOf = (module: string) => {
    return originOf(program.body.find((node) => node.type === "ImportDeclaration" && node.source.value === module));
  };
  return { exported, locate, importOf };
}

/** Whether a node is written out, so that its own place is the value's. */
function isLiteral({ type }: AnyNode): boolean {
  return ["Literal", "ObjectExpression", "ArrayExpression", "TemplateLiteral", "UnaryExpression"].includes(type);
}

function exportedName(program: Program): string | undefined {
  const names = new Map<string, string>();
  for (const node of program.body) {
    if (node.type !== "ExportNamedDeclaration") continue;
    for (const { exported, local } of node.specifiers) {
      if (exported.type === "Identifier" && local.type === "Identifier") names.set(exported.name, local.name);
    }
  }
  return names.get("default") ?? names.get("config");
}

/** What each name of a list of statements was declared with. */
function namesOf(body: readonly AnyNode[]): Names {
  const names: Names = new Map();
  for (const node of body) {
    if (node.type === "FunctionDeclaration" && node.id) names.set(node.id.name, node);
    if (node.type !== "VariableDeclaration") continue;
    for (const { id, init } of node.declarations) if (id.type === "Identifier" && init) names.set(id.name, init);
  }
  return names;
}

/** `import * as texts`: the bundle fills an object with getters, `__export(texts_exports, { home: () => home })`. */
function addNamespaces(program: Program, names: Names): void {
  for (const node of program.body) {
    if (node.type !== "ExpressionStatement" || node.expression.type !== "CallExpression") continue;
    const { callee, arguments: given } = node.expression;
    const [object, members] = given;
    if (callee.type !== "Identifier" || callee.name !== "__export" || object?.type !== "Identifier" || !members)
      continue;
    names.set(object.name, members);
  }
}

/** Follows names, members, awaits and functions to what is written out, as far as it goes. */
function follow(place: Place, depth = 0): Place {
  const { node, scopes } = place;
  if (depth > 50) return place;
  const onward = (next: AnyNode, inner = scopes) => follow({ node: next, scopes: inner }, depth + 1);
  switch (node.type) {
    case "Identifier": {
      const index = scopes.findIndex((names) => names.has(node.name));
      const found = scopes[index]?.get(node.name);
      return found === undefined ? place : onward(found, scopes.slice(index));
    }
    case "AwaitExpression":
      return onward(node.argument);
    case "MemberExpression": {
      const key = node.computed
        ? literalOf(node.property)
        : node.property.type === "Identifier"
          ? node.property.name
          : undefined;
      const member = key === undefined ? undefined : memberOf(onward(node.object), key);
      return member === undefined ? place : follow(member.value, depth + 1);
    }
    case "CallExpression": {
      // `config()` of the same file, or a helper that returns what it is given, such as defineConfig and Object.freeze.
      const callee = onward(node.callee);
      if (isFunction(callee.node) && node.arguments.length === 0) return follow(callee, depth + 1);
      return node.arguments.length === 1 && node.arguments[0] ? ifObject(onward(node.arguments[0]), place) : place;
    }
    case "ArrowFunctionExpression":
    case "FunctionExpression":
    case "FunctionDeclaration":
      return followFunction(node, scopes, depth) ?? place;
    default:
      return place;
  }
}

function followFunction(
  node: FunctionNode | ArrowFunctionExpression,
  scopes: Place["scopes"],
  depth: number,
): Place | undefined {
  if (node.body.type !== "BlockStatement") return follow({ node: node.body, scopes }, depth + 1);
  const result = node.body.body.findLast((statement) => statement.type === "ReturnStatement");
  if (result?.type !== "ReturnStatement" || !result.argument) return undefined;
  return follow({ node: result.argument, scopes: [namesOf(node.body.body), ...scopes] }, depth + 1);
}

function isFunction({ type }: AnyNode): boolean {
  return ["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"].includes(type);
}

function ifObject(found: Place, otherwise: Place): Place {
  return found.node.type === "ObjectExpression" ? found : otherwise;
}

function literalOf(node: AnyNode): string | number | undefined {
  if (node.type !== "Literal") return undefined;
  return typeof node.value === "string" || typeof node.value === "number" ? node.value : undefined;
}

/** The member of an object, later ones and spreads before earlier ones, or the entry of a list whose entries can be counted. */
function memberOf({ node, scopes }: Place, key: string | number): Member | undefined {
  if (node.type === "ObjectExpression") {
    for (const property of node.properties.toReversed()) {
      if (property.type === "SpreadElement") {
        const found = memberOf(follow({ node: property.argument, scopes }), key);
        if (found !== undefined) return found;
        continue;
      }
      const name =
        property.key.type === "Identifier" && !property.computed ? property.key.name : literalOf(property.key);
      if (String(name) === String(key)) return { key: property.key, value: { node: property.value, scopes } };
    }
  }
  if (node.type !== "ArrayExpression" || typeof key !== "number") return undefined;
  let left = key;
  for (const element of node.elements) {
    if (element?.type !== "SpreadElement") {
      if (left === 0 && element) return { key: undefined, value: { node: element, scopes } };
      left -= 1;
      continue;
    }
    const spread = follow({ node: element.argument, scopes });
    const length = lengthOf(spread);
    if (length === undefined) return undefined;
    if (left < length) return memberOf(spread, left);
    left -= length;
  }
  return undefined;
}

function lengthOf({ node, scopes }: Place): number | undefined {
  if (node.type !== "ArrayExpression") return undefined;
  let length = 0;
  for (const element of node.elements) {
    const own = element?.type === "SpreadElement" ? lengthOf(follow({ node: element.argument, scopes })) : 1;
    if (own === undefined) return undefined;
    length += own;
  }
  return length;
}
