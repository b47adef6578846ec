import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { Context } from "hono";
import type * as z from "zod";
import type { ErrorTable } from "../../../schemas/errors";
import type { LazySchema } from "../../../schemas/lazy-schema";
import type { BatchItem, BatchResults } from "../db/db";
import { type KitErrorCode, Problem } from "../problem";
import { setBookmarkHeader } from "./bookmark";
import { builtSchema, fileBody, jsonBody, problemResponses } from "./openapi/responses";
import { type JsonOptions, readJson } from "./request/body";
import { parseRequestedCompany, type RequestedCompany } from "./request/company-scope";
import { parse } from "./request/parse";
import { parsed, tryParseAsync, unwrap, valueOr } from "./request/parsed";
import type { Service } from "./service";

/** Statements that run before the handler, keyed by the names of their results. */
export type Reads = Record<string, BatchItem>;

/** The input of a call's reads: the user and the company of the call, or null when the row determines the company. */
export type ReadInput = { userId: number; companyId: number | null };

/** Like ReadInput; the company is null only for roles whose scope may be null. */
type ReadInputForScope<Scope> = null extends Scope ? ReadInput : { userId: number; companyId: number };

/**
 * The input of an authorizer. When the query or path is invalid, `reads` returns null instead of throwing, because
 * authorization errors take precedence.
 */
export type AuthorizationInput<Role extends string, R extends Reads> = {
  role: Role;
  requestedCompany: RequestedCompany;
  reads: (input: ReadInput) => R | null;
  /** a paged list: a replica may serve its rows, but not the caller's rights */
  isList?: boolean | undefined;
};

/** An admitted caller, the scope of the call, and the results of its reads. */
export type Admitted<Caller, Scope, R extends Reads> = { caller: Caller; scope: Scope; results: BatchResults<R> };

/**
 * Authorizes a call. Checks the credential, then the company (query, body, token), then the role. Runs the reads in as few
 * round trips as possible. `Scopes` maps each role to the scope of its calls.
 */
export type Authorize<S, Scopes extends object, Caller> = <K extends keyof Scopes & string, R extends Reads>(
  services: S,
  request: Request,
  input: AuthorizationInput<K, R>,
) => Promise<Admitted<Caller, Scopes[K], R>>;

/** The parts of a declaration that determine which common error codes a call may return. */
export type CallNeeds<Role extends string> = {
  role: Role;
  isMutation: boolean;
  /** query, path or body */
  hasInput: boolean;
  hasQuery: boolean;
  hasRow: boolean;
  hasBody: boolean;
};

/** A JSON body: its schema, and `read`, which converts the object to the value that the handler receives. */
export type CallBody<Context, B> = JsonOptions & {
  schema: z.ZodType | LazySchema;
  read: (raw: Record<string, unknown>, call: Context) => B | Promise<B>;
};

/**
 * A request body that is a file of one of these media types. The handler reads it with `readFile`
 * (`workers/kit/files/body.ts`).
 */
export type FileBody = { types: readonly string[] };

/**
 * Declares a body with the shape of the schema. With `optional` an empty body is `{}`; `limit` is in bytes, 64 KiB by
 * default.
 */
export function bodyOf<Z extends z.ZodType | LazySchema>(
  schema: Z,
  options: JsonOptions = {},
): CallBody<unknown, z.output<Z>> {
  return { ...options, schema, read: (raw) => parse(schema, raw) };
}

/**
 * An authorized call whose input has not been validated yet. `bodyFields` holds the fields of the body for checks that
 * depend on them; it is empty when the body cannot be read.
 */
export type AuthorizedCall<S, Caller, Scope> = {
  services: S;
  request: Request;
  caller: Caller;
  scope: Scope;
  requestedCompany: RequestedCompany;
  bodyFields: Record<string, unknown>;
};

/** The input of a handler: an authorized call with parsed input. */
export type HandlerInput<C, S, Caller, Scope, I, R extends Reads, Row, B> = AuthorizedCall<S, Caller, Scope> & {
  c: C;
  input: I;
  results: BatchResults<R>;
  row: Row;
  body: B;
};

/** Fields of a query or a path, used only by the OpenAPI document. */
type QuerySchema = z.ZodObject | LazySchema<z.ZodObject>;

/** The declaration of a call; its members are listed in the order in which they are evaluated. */
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
  /** query and path for the OpenAPI document */
  query?: QuerySchema;
  params?: QuerySchema;
  /** parses query and path; its error is thrown after the checks of role and `permit` */
  input?: (from: {
    query: Record<string, string>;
    params: Record<string, string>;
    request: Request;
    services: S;
  }) => I | Promise<I>;
  reads?: (input: ReadInputForScope<Scopes[K]> & { input: I; services: S }) => R;
  /** checks rights beyond the role, and limits that count before any lookup */
  permit?: (call: AuthorizedCall<S, Caller, Scopes[K]>) => void | Promise<void>;
  /**
   * returns the row that the call is about; when there is none the call responds 404 with `missingCode` or `not_found`
   */
  row?: (
    input: AuthorizedCall<S, Caller, Scopes[K]> & { input: I; results: BatchResults<R> },
  ) => Row | null | undefined;
  missingCode?: Code;
  /** false when a change does not count towards the user's mutation limit */
  isCounted?: false;
  /** a limit in addition to the limit on all mutations; counted after that limit and before the body is validated */
  limit?: (call: AuthorizedCall<S, Caller, Scopes[K]> & { row: Row }) => Promise<void>;
  body?: CallBody<AuthorizedCall<S, Caller, Scopes[K]> & { row: Row }, B>;
  /** a file instead of a JSON body; it is read after the caller is authorized */
  file?: FileBody;
  /** the call needs no body, but a body may name the company; other errors in that body are ignored */
  companyInBody?: true;
  responses: Record<number, { description: string; content?: Record<string, { schema: z.ZodType }> }>;
  /** error codes that only this call may return */
  errorCodes?: readonly Code[];
};

type CallOptions<S, Scopes extends object, Caller> = {
  errors: ErrorTable;
  authorize: Authorize<S, Scopes, Caller>;
  /** returns the error codes that the role, input, row and body of a call may cause */
  impliedErrorCodes: (needs: CallNeeds<keyof Scopes & string>) => readonly string[];
  /** counts a caller's mutation after its row is found and before its body is validated; throws 429 */
  limit?: (services: S, caller: Caller) => Promise<void>;
  /** returns the database bookmark of a mutation for the response header */
  bookmarkOf?: (services: S, scope: Scopes[keyof Scopes]) => string | null;
};

const SAFE_METHODS = ["get"];

/**
 * Returns the function that mounts users' calls on a service. Every call is checked in the same order: credential,
 * scope, role, rights, query and path, row, limit, body, and then the handler's own checks.
 */
export function createCalls<
  S,
  Scopes extends object,
  Caller,
  E extends { Bindings: object; Variables: { services: S } },
  Code extends string = KitErrorCode,
>(service: Service<E>, { errors, authorize, impliedErrorCodes, limit, bookmarkOf }: CallOptions<S, Scopes, Caller>) {
  return function call<
    K extends keyof Scopes & string,
    I = undefined,
    R extends Reads = Record<never, never>,
    Row = undefined,
    B = undefined,
  >(
    declaration: Call<S, Scopes, Caller, Code, K, I, R, Row, B>,
    handler: (input: HandlerInput<Context<E>, S, Caller, Scopes[K], I, R, Row, B>) => Response | Promise<Response>,
  ): void {
    const {
      method,
      path,
      tags,
      summary,
      description,
      query,
      params,
      responses,
      body,
      file,
      errorCodes = [],
    } = declaration;
    const missingCode: string = declaration.missingCode ?? "not_found";
    const isMutation = !SAFE_METHODS.includes(method);
    const isCounted = declaration.isCounted !== false;
    const describe = (): Pick<RouteConfig, "request" | "responses"> => {
      const needs = {
        role: declaration.role,
        isMutation,
        hasInput: query !== undefined || params !== undefined || body !== undefined || file !== undefined,
        hasQuery: query !== undefined,
        hasRow: declaration.row !== undefined,
        hasBody: body !== undefined || file !== undefined,
      };
      const request = {
        ...(query ? { query: builtSchema(query) } : {}),
        ...(params ? { params: builtSchema(params) } : {}),
        ...(body ? { body: { ...jsonBody(body.schema), ...(canBeEmpty(body) ? { required: false } : {}) } } : {}),
        ...(file ? { body: fileBody(file.types) } : {}),
      };
      return {
        ...(Object.keys(request).length > 0 ? { request } : {}),
        responses: {
          ...responses,
          ...problemResponses(
            errors,
            inTableOrder(
              errors,
              [...impliedErrorCodes(needs).filter((code) => isCounted || code !== "rate_limited"), ...errorCodes].map(
                (code) => (code === "not_found" ? missingCode : code),
              ),
            ),
          ),
        },
      };
    };
    // Evaluated during a call instead of when the route is mounted, so that a starting Worker builds no schema.
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
          (await declaration.input?.({ query: c.req.query(), params: c.req.param(), request: raw, services })) as I,
      );
      const hasBody = body !== undefined || declaration.companyInBody === true;
      const jsonBodyOrProblem = hasBody
        ? await tryParseAsync(() => readJson(raw, body ?? { optional: true }))
        : parsed({});
      const bodyFields: Record<string, unknown> = valueOr(jsonBodyOrProblem, {});
      const requestedCompany = parseRequestedCompany({ query: c.req.query("company_id"), body: bodyFields.company_id });
      const { caller, scope, results } = await authorize(services, raw, {
        role: declaration.role,
        requestedCompany,
        isList: isList(),
        reads: (readInput) => {
          if (!input.ok) return null;
          // An authorizer passes a company for every role whose scope is never null.
          const scopedInput = readInput as ReadInputForScope<Scopes[K]>;
          return declaration.reads?.({ ...scopedInput, input: input.value, services }) ?? ({} as R);
        },
      });
      const authorizedCall = { services, request: raw, caller, scope, requestedCompany, bodyFields };
      await declaration.permit?.(authorizedCall);
      const parsedCall = { ...authorizedCall, input: unwrap(input), results };
      const row = declaration.row?.(parsedCall);
      if (declaration.row && (row === null || row === undefined)) throw new Problem<string>(missingCode);
      const callWithRow = { ...authorizedCall, row: row as Row };
      if (isMutation && isCounted) await limit?.(services, caller);
      await declaration.limit?.(callWithRow);
      const value = body && (await body.read(unwrap(jsonBodyOrProblem), callWithRow));
      const response = await handler({ ...parsedCall, c, row: row as Row, body: value as B });
      return isMutation ? setBookmarkHeader(response, bookmarkOf?.(services, scope) ?? null) : response;
    }
  };
}

/** Returns whether a call accepts an empty body. An empty body is read as `{}`, which must match the schema. */
function canBeEmpty({ optional = false, schema }: { optional?: boolean; schema: z.ZodType | LazySchema }): boolean {
  return optional && schema.safeParse({}).success;
}

function inTableOrder(errors: ErrorTable, codes: readonly string[]): string[] {
  const remaining = new Set(codes);
  const inTable = Object.keys(errors).filter((code) => remaining.delete(code));
  // Codes that are not in the table throw when the OpenAPI document is built.
  return [...inTable, ...remaining];
}
