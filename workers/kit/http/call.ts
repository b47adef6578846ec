import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { Context } from "hono";
import type * as z from "zod";
import type { ErrorTable } from "../../../schemas/errors";
import type { LazySchema } from "../../../schemas/lazy-schema";
import type { BatchItem, BatchResults } from "../db/db";
import { type KitErrorCode, Problem } from "../problem";
import { giveBookmark } from "./bookmark";
import { builtSchema, fileBody, jsonBody, problemResponses } from "./openapi/responses";
import { type JsonOptions, readJson } from "./request/body";
import { type NamedCompany, parseNamedCompany } from "./request/company-scope";
import { parse } from "./request/parse";
import { parsed, tryParseAsync, unwrap, valueOr } from "./request/parsed";
import type { Service } from "./service";

/** Statements that a call reads by before it acts, under the names of their results. */
export type Reads = Record<string, BatchItem>;

/** Who a call's own reads are for: the person, and the company that the call is about; null where a row decides. */
export type ReadsFor = { userId: number; companyId: number | null };

/** As ReadsFor, for what calls of a role are about: there is a company unless that may be null. */
type ReadsForScope<Scope> = null extends Scope ? ReadsFor : { userId: number; companyId: number };

/** What a call needs to know of its caller; `reads` returns null when query or path are refused, which comes after the caller. */
export type Asked<Role extends string, R extends Reads> = {
  role: Role;
  named: NamedCompany;
  reads: (who: ReadsFor) => R | null;
  /** a list by page or cursor: what it shows may come of a replica, what the caller is judged by may not */
  isList?: boolean | undefined;
};

/** An admitted caller, what the call is about, and what its reads found. */
export type Admitted<Caller, Scope, R extends Reads> = { caller: Caller; scope: Scope; results: BatchResults<R> };

/**
 * How a service admits a call: the credential, then the company (query, body, token), then the role, with the reads in as
 * few round trips as it can. `Scopes` says for each role what a call of it is about.
 */
export type Authorize<S, Scopes extends object, Caller> = <K extends keyof Scopes & string, R extends Reads>(
  services: S,
  request: Request,
  asked: Asked<K, R>,
) => Promise<Admitted<Caller, Scopes[K], R>>;

/** What a call needs by its declaration, from which the codes of its refusals follow. */
export type CallNeeds<Role extends string> = {
  role: Role;
  isMutation: boolean;
  /** query, path or body */
  hasInput: boolean;
  hasQuery: boolean;
  hasRow: boolean;
  hasBody: boolean;
};

/** A JSON body: its schema, and how the object becomes what the handler gets (default: parsed by the schema). */
export type CallBody<Known, B> = JsonOptions & {
  schema: z.ZodType | LazySchema;
  read: (raw: Record<string, unknown>, known: Known) => B | Promise<B>;
};

/** A request body that is a file of one of these media types. The handler reads it with `readFile` (`workers/kit/files/body.ts`). */
export type FileBody = { types: readonly string[] };

/** A body in the shape of the schema. `optional`: an empty one is `{}`; `limit` in bytes, 64 KiB unless told. */
export function bodyOf<Z extends z.ZodType | LazySchema>(
  schema: Z,
  options: JsonOptions = {},
): CallBody<unknown, z.output<Z>> {
  return { ...options, schema, read: (raw) => parse(schema, raw) };
}

/** What is known once caller, scope and role are. `seen` are the fields of a readable body, for rights that hang on them. */
export type Known<S, Caller, Scope> = {
  services: S;
  request: Request;
  caller: Caller;
  scope: Scope;
  named: NamedCompany;
  seen: Record<string, unknown>;
};

/** What the handler gets: everything proven and parsed. */
export type Proven<C, S, Caller, Scope, I, R extends Reads, Row, B> = Known<S, Caller, Scope> & {
  c: C;
  input: I;
  results: BatchResults<R>;
  row: Row;
  body: B;
};

/** Fields of a query or a path, which only the document shows. */
type QuerySchema = z.ZodObject | LazySchema<z.ZodObject>;

/** A call as it is declared, in the order in which it is judged. */
export type Call<
  S,
  Scopes extends object,
  Caller,
  Code extends string,
  K extends keyof Scopes & string,
  I,
  R extends Reads,
  Row,
  B,
> = {
  method: "get" | "post" | "put" | "patch" | "delete";
  path: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  role: K;
  /** query and path as the document shows them */
  query?: QuerySchema;
  params?: QuerySchema;
  /** what query and path ask for; its refusal comes after role and `permit` */
  input?: (from: {
    query: Record<string, string>;
    params: Record<string, string>;
    request: Request;
    services: S;
  }) => I | Promise<I>;
  reads?: (who: ReadsForScope<Scopes[K]> & { input: I; services: S }) => R;
  /** rights beyond the role, and limits that count before anything is looked up */
  permit?: (known: Known<S, Caller, Scopes[K]>) => void | Promise<void>;
  /** the row that the call is about; without one 404 with `missing`, or `not_found` */
  row?: (found: Known<S, Caller, Scopes[K]> & { input: I; results: BatchResults<R> }) => Row | null | undefined;
  missing?: Code;
  /** false: a change that does not count among the mutations of a person */
  isCounted?: false;
  /** a limit of this call besides that of all mutations; counted behind it and before the body is judged */
  limit?: (known: Known<S, Caller, Scopes[K]> & { row: Row }) => Promise<void>;
  body?: CallBody<Known<S, Caller, Scopes[K]> & { row: Row }, B>;
  /** a file instead of a JSON body; it is read after the caller is authorized */
  file?: FileBody;
  /** a body may name the company although the call has none of its own; what else is wrong with it is no matter */
  companyInBody?: true;
  answers: Record<number, { description: string; content?: Record<string, { schema: z.ZodType }> }>;
  /** codes that the call's own state refuses with */
  refuses?: readonly Code[];
};

type CallOptions<S, Scopes extends object, Caller> = {
  errors: ErrorTable;
  authorize: Authorize<S, Scopes, Caller>;
  /** codes that follow from what a call needs */
  refusalsOf: (needs: CallNeeds<keyof Scopes & string>) => readonly string[];
  /** counts a mutation of a caller, after its row is found and before its body is judged; 429 */
  limit?: (services: S, caller: Caller) => Promise<void>;
  /** the state of the database behind a mutation, for its answer */
  bookmarkOf?: (services: S, scope: Scopes[keyof Scopes]) => string | null;
};

const SAFE_METHODS = ["get"];

/**
 * Mounts calls of people on a service. Every call is judged in one order: credential, scope, role, rights, query and
 * path, row, limit, body, and then by its own state in the handler.
 */
export function createCalls<
  S,
  Scopes extends object,
  Caller,
  E extends { Bindings: object; Variables: { services: S } },
  Code extends string = KitErrorCode,
>(service: Service<E>, { errors, authorize, refusalsOf, limit, bookmarkOf }: CallOptions<S, Scopes, Caller>) {
  return function call<
    K extends keyof Scopes & string,
    I = undefined,
    R extends Reads = Record<never, never>,
    Row = undefined,
    B = undefined,
  >(
    declared: Call<S, Scopes, Caller, Code, K, I, R, Row, B>,
    handler: (proven: Proven<Context<E>, S, Caller, Scopes[K], I, R, Row, B>) => Response | Promise<Response>,
  ): void {
    const { method, path, tags, summary, description, query, params, answers, body, file, refuses = [] } = declared;
    const missing: string = declared.missing ?? "not_found";
    const isMutation = !SAFE_METHODS.includes(method);
    const isCounted = declared.isCounted !== false;
    const describe = (): Pick<RouteConfig, "request" | "responses"> => {
      const needs = {
        role: declared.role,
        isMutation,
        hasInput: query !== undefined || params !== undefined || body !== undefined || file !== undefined,
        hasQuery: query !== undefined,
        hasRow: declared.row !== undefined,
        hasBody: body !== undefined || file !== undefined,
      };
      const request = {
        ...(query ? { query: builtSchema(query) } : {}),
        ...(params ? { params: builtSchema(params) } : {}),
        ...(body ? { body: { ...jsonBody(body.schema), ...(mayBeEmpty(body) ? { required: false } : {}) } } : {}),
        ...(file ? { body: fileBody(file.types) } : {}),
      };
      return {
        ...(Object.keys(request).length > 0 ? { request } : {}),
        responses: {
          ...answers,
          ...problemResponses(
            errors,
            inTableOrder(
              errors,
              [...refusalsOf(needs).filter((code) => isCounted || code !== "rate_limited"), ...refuses].map((code) =>
                code === "not_found" ? missing : code,
              ),
            ),
          ),
        },
      };
    };
    // Asked at a call: a start builds no schema.
    const isList = () => {
      const shape: object = query === undefined || isMutation ? {} : builtSchema(query).shape;
      return "page" in shape || "cursor" in shape;
    };
    service.route(
      {
        method,
        path,
        tags: [...tags],
        security: [{ bearerAuth: [] }],
        summary,
        ...(description === undefined ? {} : { description }),
        describe,
      },
      (c) => run(c),
    );

    async function run(c: Context<E>): Promise<Response> {
      const { raw } = c.req;
      const services = c.get("services");
      const input = await tryParseAsync(
        async () =>
          (await declared.input?.({ query: c.req.query(), params: c.req.param(), request: raw, services })) as I,
      );
      const hasBody = body !== undefined || declared.companyInBody === true;
      const sent = hasBody ? await tryParseAsync(() => readJson(raw, body ?? { optional: true })) : parsed({});
      const seen: Record<string, unknown> = valueOr(sent, {});
      const named = parseNamedCompany({ query: c.req.query("company_id"), body: seen.company_id });
      const { caller, scope, results } = await authorize(services, raw, {
        role: declared.role,
        named,
        isList: isList(),
        reads: (who) => {
          if (!input.ok) return null;
          // An authorizer names a company for every role whose scope is never null.
          const readsFor = who as ReadsForScope<Scopes[K]>;
          return declared.reads?.({ ...readsFor, input: input.value, services }) ?? ({} as R);
        },
      });
      const known = { services, request: raw, caller, scope, named, seen };
      await declared.permit?.(known);
      const proven = { ...known, input: unwrap(input), results };
      const row = declared.row?.(proven);
      if (declared.row && (row === null || row === undefined)) throw new Problem<string>(missing);
      const found = { ...known, row: row as Row };
      if (isMutation && isCounted) await limit?.(services, caller);
      await declared.limit?.(found);
      const value = body && (await body.read(unwrap(sent), found));
      const response = await handler({ ...proven, c, row: row as Row, body: value as B });
      return isMutation ? giveBookmark(response, bookmarkOf?.(services, scope) ?? null) : response;
    }
  };
}

/** Whether a call may come without a body: an empty one is `{}`, which the schema has to take. */
function mayBeEmpty({ optional = false, schema }: { optional?: boolean; schema: z.ZodType | LazySchema }): boolean {
  return optional && schema.safeParse({}).success;
}

function inTableOrder(errors: ErrorTable, codes: readonly string[]): string[] {
  const wanted = new Set(codes);
  const known = Object.keys(errors).filter((code) => wanted.delete(code));
  // What is not in the table is refused when the document is made.
  return [...known, ...wanted];
}
