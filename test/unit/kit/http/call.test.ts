import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { commonErrors } from "../../../../schemas/errors";
import { Problem as IdentityProblem } from "../../../../workers/identity/problem";
import {
  type Admitted,
  type AuthorizationInput,
  bodyOf,
  createCalls,
  type Reads,
} from "../../../../workers/kit/http/call";
import { errorCodes, type problemResponses } from "../../../../workers/kit/http/openapi/responses";
import { requireCompany } from "../../../../workers/kit/http/request/company-scope";
import type { Service } from "../../../../workers/kit/http/service";
import { invalid, Problem } from "../../../../workers/kit/problem";

type Services = { done: string[] };
type Env = { Bindings: object; Variables: { services: Services } };
type Scopes = { owner: number; staff: null };
type Caller = { name: string };

const responses = { 200: { description: "Done" } };

/** Starts a service that reads the caller from the authorization header, and records its steps in order. */
function startService() {
  const done: string[] = [];
  const configs: { path: string; request?: object; responses: object }[] = [];
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    c.set("services", { done });
    await next();
  });
  app.onError((error, c) => {
    if (!(error instanceof Problem)) throw error;
    return c.json({ error_code: error.code, field_errors: error.options.field_errors }, 400);
  });
  const service = {
    app,
    route: (config: { method: string; path: string; describe: () => { responses: object } }, handler: never) => {
      configs.push({ ...config, ...config.describe() });
      app.on(config.method.toUpperCase(), config.path.replace(/\{([^}]+)\}/g, ":$1"), handler);
    },
  } as unknown as Service<Env>;

  async function authorize<K extends keyof Scopes, R extends Reads>(
    _services: Services,
    request: Request,
    { role, requestedCompany, reads }: AuthorizationInput<K, R>,
  ): Promise<Admitted<Caller, Scopes[K], R>> {
    const name = request.headers.get("authorization");
    if (name === null) throw new Problem("unauthorized");
    const scope = requireCompany(requestedCompany, { token: 7, isStaff: name === "staff" });
    if (role === "staff" && name !== "staff") throw new Problem("forbidden");
    const statements = reads({ userId: 1, companyId: scope });
    done.push(statements === null ? "skips read" : `reads ${Object.keys(statements).join()}`);
    const results = Object.fromEntries(
      Object.keys(statements ?? {}).map((key) => [key, { rows: [], first: null, changes: 0 }]),
    );
    return { caller: { name }, scope: scope as Scopes[K], results: results as never };
  }

  const call = createCalls<Services, Scopes, Caller, Env>(service, {
    errors: commonErrors,
    authorize,
    impliedErrorCodes: ({ isMutation, hasRow }) => [
      "unauthorized",
      ...(isMutation ? ["rate_limited"] : []),
      ...(hasRow ? ["not_found"] : []),
    ],
    limit: async ({ done: log }) => void log.push("limit"),
  });
  const request = async (path: string, init: RequestInit = {}) => {
    const response = await app.request(path, { headers: { authorization: "owner" }, ...init });
    return { status: response.status, body: await response.json() };
  };
  return { call, request, done, configs };
}

const things = { path: "/things/{id}", tags: ["Things"], summary: "Change a thing", responses } as const;
const params = z.object({ id: z.string() });
const noInput = { parts: [], read: () => undefined as never };

/**
 * Registers a PATCH call that each check can reject. There is no row with id 404. The row with id 500 is in a state
 * that does not allow the change.
 */
function mountChange({ call }: ReturnType<typeof startService>) {
  call(
    {
      ...things,
      method: "patch",
      role: "owner",
      params,
      input: ({ params: { id } }) => {
        if (!/^\d+$/.test(id ?? "")) throw invalid({ id: ["invalid"] });
        return Number(id);
      },
      reads: ({ input }) => (input > 0 ? { thing: noInput } : { thing: noInput, more: noInput }),
      permit: ({ bodyFields, services }) => {
        services.done.push("permit");
        if (bodyFields.is_secret === true) throw new Problem("forbidden");
      },
      row: ({ input, results }) => (input === 404 ? results.thing.first : { id: input }),
      body: {
        ...bodyOf(z.object({ label: z.string() })),
        read: (raw, { row }) => {
          if (typeof raw.label !== "string") throw invalid({ label: ["required"] });
          return `${raw.label} of ${row.id}`;
        },
      },
      errorCodes: ["conflict"],
    },
    ({ c, body, row, scope, caller }) => {
      if (row.id === 500) throw new Problem("conflict");
      return c.json({ label: body, company: scope, by: caller.name });
    },
  );
}

describe("a declared call", () => {
  const change = (body: unknown, headers: Record<string, string> = { authorization: "owner" }) => ({
    method: "PATCH",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

  it("passes authorized and parsed values to the handler after all checks", async () => {
    const service = startService();
    mountChange(service);
    const { body } = await service.request("/things/5", change({ label: "new" }));
    expect(body).toEqual({ label: "new of 5", company: 7, by: "owner" });
    expect(service.done).toEqual(["reads thing", "permit", "limit"]);
  });

  // Each request contains the error of its own check and of every later check. The service must return the first one.
  it.each([
    ["credential", "/things/x?company_id=z", change("no object", {}), "unauthorized", []],
    ["company", "/things/x?company_id=8", change("no object"), "company_mismatch", []],
    ["company in the body", "/things/x", change({ company_id: 9, is_secret: true }), "company_mismatch", []],
    ["rights", "/things/x", change({ is_secret: true }), "forbidden", ["skips read", "permit"]],
    ["path", "/things/x", change("no object"), "validation_failed", ["skips read", "permit"]],
    ["row", "/things/404", change("no object"), "not_found", ["reads thing", "permit"]],
    ["type of the body", "/things/500", change("none"), "validation_failed", ["reads thing", "permit", "limit"]],
    ["fields of the body", "/things/500", change({}), "validation_failed", ["reads thing", "permit", "limit"]],
    ["state", "/things/500", change({ label: "x" }), "conflict", ["reads thing", "permit", "limit"]],
  ])("reports a failed check of the %s before all later checks", async (_step, path, init, code, done) => {
    const service = startService();
    mountChange(service);
    expect((await service.request(path, init)).body).toMatchObject({ error_code: code });
    expect(service.done).toEqual(done);
  });

  it("does not count reads toward the limit of mutations, and accepts a missing optional body", async () => {
    const service = startService();
    service.call({ ...things, method: "get", role: "owner" }, ({ c }) => c.json({}));
    const body = bodyOf(z.object({ label: z.string().default("none") }), { optional: true });
    service.call({ ...things, method: "post", role: "staff", body }, ({ c, body: { label } }) => c.json({ label }));
    await service.request("/things/1");
    expect(service.done).toEqual(["reads "]);
    const staff = { method: "POST", headers: { authorization: "staff" } };
    expect((await service.request("/things/1", staff)).body).toEqual({ label: "none" });
    expect((await service.request("/things/1", { method: "POST" })).body).toMatchObject({ error_code: "forbidden" });
  });

  it("with `companyInBody`, reads only the company from the body; without it, ignores an undeclared body", async () => {
    const service = startService();
    service.call({ ...things, method: "post", role: "owner", companyInBody: true }, ({ c, requestedCompany }) =>
      c.json({ company: requestedCompany.ok ? requestedCompany.value : "refused" }),
    );
    service.call({ ...things, method: "delete", role: "owner" }, ({ c }) => c.json({}));
    const post = { ...change({ company_id: 7 }), method: "POST" };
    expect((await service.request("/things/1", post)).body).toEqual({ company: 7 });
    expect((await service.request("/things/1", { ...post, body: "no JSON" })).body).toEqual({ company: null });
    const foreign = change({ company_id: 8 });
    expect((await service.request("/things/1", { ...foreign, method: "POST" })).body).toMatchObject({
      error_code: "company_mismatch",
    });
    expect((await service.request("/things/1", { ...foreign, method: "DELETE" })).body).toEqual({});
  });

  it("counts its own limit after the limit on all mutations, and before its body is validated", async () => {
    const service = startService();
    const limit = async ({ services, scope }: { services: Services; scope: number }) =>
      void services.done.push(`limit of ${scope}`);
    const body = bodyOf(z.object({ label: z.string() }));
    service.call({ ...things, method: "post", role: "owner", limit, body }, ({ c }) => c.json({}));
    const { body: problem } = await service.request("/things/1", { ...change({}), method: "POST" });
    expect(problem).toMatchObject({ error_code: "validation_failed" });
    expect(service.done).toEqual(["reads ", "limit", "limit of 7"]);
  });

  it("documents an optional body only where an empty one is accepted", () => {
    const service = startService();
    for (const schema of [z.object({ label: z.string().default("none") }), z.object({ label: z.string() })]) {
      service.call({ ...things, method: "post", role: "owner", body: bodyOf(schema, { optional: true }) }, ({ c }) =>
        c.json({}),
      );
    }
    expect(service.configs.map(({ request }) => request)).toMatchObject([
      { body: { required: false } },
      { body: { required: true } },
    ]);
  });

  it("documents its inputs, and its error codes in the order of the error table", () => {
    const service = startService();
    mountChange(service);
    const [config] = service.configs;
    expect(config).toMatchObject({ path: "/things/{id}", request: { params, body: { required: true } } });
    const documented = config?.responses as ReturnType<typeof problemResponses> | undefined;
    expect(documented?.[errorCodes].codes).toEqual(["unauthorized", "not_found", "conflict", "rate_limited"]);
  });
});

describe("a declared rejection", () => {
  it("compiles only with an error code of the service's table", () => {
    // Never called: this test only checks what compiles.
    const wrong = () => [
      // @ts-expect-error a misspelt code
      new Problem("not_fuond"),
      // @ts-expect-error a code that only identity has
      new Problem("magic_link_invalid"),
      new IdentityProblem("magic_link_invalid"),
      // @ts-expect-error a misspelt code
      new IdentityProblem("magic_link_invalld"),
    ];
    expect(wrong).toBeTypeOf("function");
  });
});
