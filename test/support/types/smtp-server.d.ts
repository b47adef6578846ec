/** The part of the package's API that the tests use. The package ships no types. */
declare module "smtp-server" {
  import type { Server } from "node:net";
  import type { Readable } from "node:stream";

  export type SMTPServerSession = {
    secure: boolean;
    user?: string;
    envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] };
  };
  type Done = (error?: Error | null, result?: unknown) => void;
  export type SMTPServerOptions = {
    secure?: boolean;
    key?: string;
    cert?: string;
    authMethods?: string[];
    authOptional?: boolean;
    disabledCommands?: string[];
    onAuth?(auth: { method: string; username: string; password: string }, session: SMTPServerSession, done: Done): void;
    onMailFrom?(address: { address: string }, session: SMTPServerSession, done: Done): void;
    onRcptTo?(address: { address: string }, session: SMTPServerSession, done: Done): void;
    onData?(stream: Readable, session: SMTPServerSession, done: Done): void;
  };
  export class SMTPServer {
    constructor(options: SMTPServerOptions);
    readonly server: Server;
    listen(port: number, host: string, done: () => void): Server;
    close(closed: () => void): void;
    on(event: "error", handler: (error: Error) => void): void;
  }
}
