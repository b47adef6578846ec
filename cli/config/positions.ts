import { type AnyNode, type ArrowFunctionExpression, type Function as FunctionNode, type Program, parse } from "acorn";
import type { Locate, Position } from "./findings.ts";
import type { Bundle } from "./load/bundle.ts";

// Finds the source position of a value in an evaluated configuration. The bundle is one module. This file resolves names,
// spreads and members to a node of the bundle. The source map returns the file and line of this node in the user's source.

type Names = Map<string, AnyNode>;
/** A node and the scopes around it, innermost first. */
type ScopedNode = { node: AnyNode; scopes: readonly Names[] };
type Member = { key: AnyNode | undefined; value: ScopedNode };

export type Sources = {
  exported: string | undefined;
  locate: Locate;
  importOf: (module: string) => Position | undefined;
};

/** Parses a bundle. Returns the local name of its export and functions that locate values and imports. */
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
    let current = follow({ node: entry, scopes: [top] });
    let best = originOf(isLiteral(current.node) ? current.node : entry) ?? start;
    for (const [index, key] of path.entries()) {
      const member = memberOf(current, key);
      if (member === undefined) return best;
      current = follow(member.value);
      const isKey = part === "key" && index === path.length - 1;
      const node = isKey || !isLiteral(current.node) ? (member.key ?? member.value.node) : current.node;
      best = originOf(node) ?? best;
    }
    return best;
  };
  const importOf = (module: string) => {
    return originOf(program.body.find((node) => node.type === "ImportDeclaration" && node.source.value === module));
  };
  return { exported, locate, importOf };
}

/**
 * Returns whether a node is a literal. An error about the value of a literal points at the literal instead of at the
 * key.
 */
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

/** Returns the declared value of each name in a list of statements. */
function namesOf(body: readonly AnyNode[]): Names {
  const names: Names = new Map();
  for (const node of body) {
    if (node.type === "FunctionDeclaration" && node.id) names.set(node.id.name, node);
    if (node.type !== "VariableDeclaration") continue;
    for (const { id, init } of node.declarations) if (id.type === "Identifier" && init) names.set(id.name, init);
  }
  return names;
}

/**
 * Adds the objects of namespace imports. For `import * as texts`, esbuild generates an object with getters:
 * `__export(texts_exports, { home: () => home })`.
 */
function addNamespaces(program: Program, names: Names): void {
  for (const node of program.body) {
    if (node.type !== "ExpressionStatement" || node.expression.type !== "CallExpression") continue;
    const { callee, arguments: args } = node.expression;
    const [object, members] = args;
    if (callee.type !== "Identifier" || callee.name !== "__export" || object?.type !== "Identifier" || !members)
      continue;
    names.set(object.name, members);
  }
}

/** Resolves names, members, awaits and calls until it reaches a literal or a node that it cannot resolve. */
function follow(start: ScopedNode, depth = 0): ScopedNode {
  const { node, scopes } = start;
  if (depth > 50) return start;
  const followNext = (next: AnyNode, inner = scopes) => follow({ node: next, scopes: inner }, depth + 1);
  switch (node.type) {
    case "Identifier": {
      const index = scopes.findIndex((names) => names.has(node.name));
      const declared = scopes[index]?.get(node.name);
      return declared === undefined ? start : followNext(declared, scopes.slice(index));
    }
    case "AwaitExpression":
      return followNext(node.argument);
    case "MemberExpression": {
      const key = node.computed
        ? literalOf(node.property)
        : node.property.type === "Identifier"
          ? node.property.name
          : undefined;
      const member = key === undefined ? undefined : memberOf(followNext(node.object), key);
      return member === undefined ? start : follow(member.value, depth + 1);
    }
    case "CallExpression": {
      // The callee is `config` of the same file, or a helper that returns its argument, such as defineConfig or Object.freeze.
      const callee = followNext(node.callee);
      if (isFunction(callee.node) && node.arguments.length === 0) return follow(callee, depth + 1);
      return node.arguments.length === 1 && node.arguments[0] ? objectOr(followNext(node.arguments[0]), start) : start;
    }
    case "ArrowFunctionExpression":
    case "FunctionExpression":
    case "FunctionDeclaration":
      return followFunction(node, scopes, depth) ?? start;
    default:
      return start;
  }
}

function followFunction(
  node: FunctionNode | ArrowFunctionExpression,
  scopes: ScopedNode["scopes"],
  depth: number,
): ScopedNode | undefined {
  if (node.body.type !== "BlockStatement") return follow({ node: node.body, scopes }, depth + 1);
  const result = node.body.body.findLast((statement) => statement.type === "ReturnStatement");
  if (result?.type !== "ReturnStatement" || !result.argument) return undefined;
  return follow({ node: result.argument, scopes: [namesOf(node.body.body), ...scopes] }, depth + 1);
}

function isFunction({ type }: AnyNode): boolean {
  return ["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"].includes(type);
}

function objectOr(target: ScopedNode, otherwise: ScopedNode): ScopedNode {
  return target.node.type === "ObjectExpression" ? target : otherwise;
}

function literalOf(node: AnyNode): string | number | undefined {
  if (node.type !== "Literal") return undefined;
  return typeof node.value === "string" || typeof node.value === "number" ? node.value : undefined;
}

/**
 * Returns the last member of an object that has the key, or the element of an array at the index. Looks into spreads.
 * Returns undefined when an earlier spread in the array has an unknown length.
 */
function memberOf({ node, scopes }: ScopedNode, key: string | number): Member | undefined {
  if (node.type === "ObjectExpression") {
    for (const property of node.properties.toReversed()) {
      if (property.type === "SpreadElement") {
        const member = memberOf(follow({ node: property.argument, scopes }), key);
        if (member !== undefined) return member;
        continue;
      }
      const name =
        property.key.type === "Identifier" && !property.computed ? property.key.name : literalOf(property.key);
      if (String(name) === String(key)) return { key: property.key, value: { node: property.value, scopes } };
    }
  }
  if (node.type !== "ArrayExpression" || typeof key !== "number") return undefined;
  let remaining = key;
  for (const element of node.elements) {
    if (element?.type !== "SpreadElement") {
      if (remaining === 0 && element) return { key: undefined, value: { node: element, scopes } };
      remaining -= 1;
      continue;
    }
    const spread = follow({ node: element.argument, scopes });
    const length = lengthOf(spread);
    if (length === undefined) return undefined;
    if (remaining < length) return memberOf(spread, remaining);
    remaining -= length;
  }
  return undefined;
}

function lengthOf({ node, scopes }: ScopedNode): number | undefined {
  if (node.type !== "ArrayExpression") return undefined;
  let length = 0;
  for (const element of node.elements) {
    const elementCount = element?.type === "SpreadElement" ? lengthOf(follow({ node: element.argument, scopes })) : 1;
    if (elementCount === undefined) return undefined;
    length += elementCount;
  }
  return length;
}
