// Replaces the modules of workerd when a Worker is loaded into Node only to inspect it.
export class DurableObject {}
export class WorkerEntrypoint {}
export const connect = (): void => undefined;
