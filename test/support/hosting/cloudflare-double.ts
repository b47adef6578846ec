type Registration = { id: string; hostname: string };

/** A double of Cloudflare's API for custom hostnames, and of a DNS resolver, as the global `fetch` of the Worker. */
export function createCloudflareDouble() {
  const registered: Registration[] = [];
  const calls: string[] = [];
  const records = new Map<string, string[]>();
  let failure: (() => Response | Promise<Response>) | null = null;
  let isResolverAway = false;

  const answer = (result: unknown, status = 200) =>
    Response.json({ success: status < 300, errors: [], messages: [], result }, { status });
  const refuse = (status: number, code: number) =>
    Response.json({ success: false, errors: [{ code, message: "refused" }], result: null }, { status });

  async function respondAsCloudflare(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const id = url.pathname.split("/custom_hostnames/")[1];
    calls.push(`${request.method} ${id ?? url.searchParams.get("hostname") ?? "new"}`);
    if (request.headers.get("authorization") !== `Bearer ${CLOUDFLARE_TOKEN}`) return refuse(403, 10_000);
    if (failure !== null) return failure();
    if (request.method === "GET") {
      const hostname = url.searchParams.get("hostname") ?? "";
      return answer(registered.filter((row) => row.hostname.includes(hostname)));
    }
    if (request.method === "DELETE") {
      const index = registered.findIndex((row) => row.id === id);
      if (index < 0) return refuse(404, 1436);
      registered.splice(index, 1);
      return answer({ id });
    }
    const { hostname } = await request.json<{ hostname: string }>();
    if (registered.some((row) => row.hostname === hostname)) return refuse(409, 1406);
    const row = { id: crypto.randomUUID(), hostname };
    registered.push(row);
    return answer(row, 201);
  }

  function respondAsResolver(url: URL): Response {
    if (isResolverAway) return new Response(null, { status: 503 });
    const values = records.get(url.searchParams.get("name") ?? "") ?? [];
    const Answer = values.map((value) => ({ type: 16, TTL: 60, data: JSON.stringify(value) }));
    return Response.json({ Status: values.length === 0 ? 3 : 0, Answer });
  }

  return {
    /** the settings of hosting that use the double */
    vars: {
      CLOUDFLARE_API_TOKEN: CLOUDFLARE_TOKEN,
      CLOUDFLARE_ZONE_ID: "0".repeat(32),
      CLOUDFLARE_API_URL: "https://cloudflare.example/client/v4",
      ACTIONS_DNS_RESOLVER_URL: "https://resolver.example/dns-query",
    },
    fetch: async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      const request = new Request(input as RequestInfo, init);
      const url = new URL(request.url);
      return url.hostname === "resolver.example" ? respondAsResolver(url) : respondAsCloudflare(request);
    },
    /** the registered host names */
    registered,
    /** the calls of the API, in order: method, and the id, the host name or `new` */
    calls,
    /** Sets the values of a TXT record. */
    setRecord: (name: string, ...values: string[]) => void records.set(name, values),
    /** Sets the response to every further call of the API; null ends that. */
    failWith: (response: (() => Response | Promise<Response>) | null) => {
      failure = response;
    },
    setResolverAway: (isAway: boolean) => {
      isResolverAway = isAway;
    },
  };
}

const CLOUDFLARE_TOKEN = "cf-test-token";
