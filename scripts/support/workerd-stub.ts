// In place of the modules of workerd where a Worker is loaded into Node to be looked at: nothing of them is used there.
export class DurableObject {}
export class WorkerEntrypoint {}
export const connect = (): void => undefined;
