// Accepts the mails of the measured system instead of the email service, and returns their links.

type Mail = { to?: { email: string }[]; variables?: { magic_link_url: string } };

const links = new Map<string, string>();
let mailCount = 0;
let lastAt = 0;

/**
 * The response to GET: the newest link of each address, the number of mails since the last DELETE, and the arrival of
 * the newest mail (ms since the epoch).
 */
export type MailSinkState = { links: Record<string, string>; mailCount: number; lastAt: number };

export default {
  async fetch(request) {
    if (request.method === "GET")
      return Response.json({ links: Object.fromEntries(links), mailCount, lastAt } satisfies MailSinkState);
    if (request.method === "DELETE") {
      links.clear();
      mailCount = 0;
      return new Response();
    }
    const { to, variables } = (await request.json()) as Mail;
    mailCount += 1;
    lastAt = Date.now();
    for (const { email } of to ?? []) if (variables) links.set(email, variables.magic_link_url);
    return Response.json({ id: crypto.randomUUID() }, { status: 202 });
  },
} satisfies ExportedHandler;
