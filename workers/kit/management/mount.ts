import type { Context } from "hono";
import * as z from "zod";
import type { ErrorTable } from "../../../schemas/errors";
import { lazySchema } from "../../../schemas/lazy-schema";
import type { CommandSpec } from "../../../schemas/management/command-spec";
import { jsonBody, problemResponses } from "../http/openapi/responses";
import { readJson } from "../http/request/body";
import type { Service } from "../http/service";
import type { Log } from "../log";
import { Problem } from "../problem";
import { type FlagValues, readFlags, readRows } from "./flags";
import { type CommandResult, type CommandStream, streamCommand } from "./stream";

/** The caller of a command: the operator by key (user id null), or staff. */
export type CommandCaller = { kind: "operator" | "session" | "pat"; userId: number | null };

/** A command with its implementation. */
export type ManagementCommand<Services> = {
  spec: CommandSpec;
  /** checks what the specification cannot express; throws 400 `flags.{name}` before the command starts */
  check?: (flags: FlagValues, services: Services) => void;
  /** `rows` are the rows of the request; empty for a command without rows */
  run: (
    services: Services,
    flags: FlagValues,
    stream: CommandStream,
    caller: CommandCaller,
    rows: readonly unknown[],
  ) => Promise<CommandResult>;
};

type ManagementEnv<Services> = { Bindings: object; Variables: { services: Services; log: Log; requestId: string } };

const bodySchema = lazySchema(() =>
  z
    .object({
      flags: z.record(z.string(), z.unknown()).optional(),
      rows: z.array(z.unknown()).optional().describe("the rows that the command processes; other commands ignore them"),
    })
    .meta({ examples: [{ flags: { email: "mina@example.com", company: 42 } }] }),
);

/**
 * Mounts `POST /api/v1/management/{command}`. `authorize` returns the caller, or throws the service's own 401 or 403.
 * The checks follow in this order: 404 for an unknown command, 403 when staff call an operator command, 400
 * `flags.{name}`. Then the response streams the command's output.
 */
export function mountManagement<Services, E extends ManagementEnv<Services>>(
  service: Service<E>,
  options: {
    errors: ErrorTable;
    errorCodes: string[];
    commands: ManagementCommand<Services>[];
    authorize: (c: Context<E>) => Promise<CommandCaller>;
  },
): void {
  const names = options.commands.map(({ spec }) => spec.name);
  service.route(
    {
      method: "post",
      path: "/api/v1/management/{command}",
      summary: "Run a management command",
      description: `Commands: ${names.join(", ")}. The response is a stream of JSON lines: start, progress, rows, result or error.`,
      tags: ["Service"],
      security: [{ bearerAuth: [] }],
      describe: () => ({
        request: { params: z.object({ command: z.enum(names) }), body: { ...jsonBody(bodySchema), required: false } },
        responses: {
          200: {
            description: "Lines `start`, `progress` and `rows`, then `result` or `error`",
            content: { "application/x-ndjson": { schema: z.string() } },
          },
          ...problemResponses(options.errors, [
            ...options.errorCodes,
            "forbidden",
            "not_found",
            "validation_failed",
            "payload_too_large",
            "unsupported_media_type",
            "service_unavailable",
          ]),
        },
      }),
    },
    async (c) => {
      const caller = await options.authorize(c);
      const command = options.commands.find(({ spec }) => spec.name === c.req.param("command"));
      if (!command) throw new Problem("not_found");
      if (command.spec.access === "operator" && caller.kind !== "operator") throw new Problem("forbidden");
      const limits = command.spec.rows;
      const body = await readJson(c.req.raw, { optional: true, ...(limits ? { limit: limits.maxBytes } : {}) });
      const flags = readFlags(command.spec, body.flags);
      const rows = readRows(command.spec, body.rows);
      const services = c.get("services");
      command.check?.(flags, services);
      const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
      return streamCommand(command.spec.name, (stream) => command.run(services, flags, stream, caller, rows), {
        log: c.get("log"),
        errors: options.errors,
        waitUntil,
      });
    },
  );
}
