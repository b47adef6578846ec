import { vi } from "vitest";

/** A POST request to a receiver. */
export type Received = { url: string; headers: Headers; body: string; redirect: RequestRedirect | undefined };

/**
 * Replaces `fetch` with a simulated network. DNS queries return the addresses in `names` (default 93.184.216.34, [] for
 * none). `answer` responds to every other request.
 */
export function createNetwork(answer: (request: Received) => Response | Promise<Response> = () => new Response("ok")) {
  const network = {
    received: [] as Received[],
    names: {} as Record<string, string[]>,
    answer,
  };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.hostname === "cloudflare-dns.com") {
      const [name, type] = [url.searchParams.get("name") ?? "", url.searchParams.get("type")];
      const addresses = (network.names[name] ?? ["93.184.216.34"]).filter(
        (address) => address.includes(":") === (type === "AAAA"),
      );
      const Answer = addresses.map((data) => ({ name, type: type === "A" ? 1 : 28, TTL: 0, data }));
      return Response.json({ Status: 0, Answer });
    }
    const request = {
      url: url.href,
      headers: new Headers(init?.headers),
      body: await new Response(init?.body).text(),
      redirect: init?.redirect,
    };
    network.received.push(request);
    return network.answer(request);
  });
  return network;
}
