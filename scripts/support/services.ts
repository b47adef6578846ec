import { SERVICES, type Service } from "../../schemas/management.ts";

export { SERVICES as services, type Service } from "../../schemas/management.ts";

export type Worker = "edge" | Service;

/** Every Worker: the edge and the services. */
export const workers: readonly Worker[] = ["edge", ...SERVICES];

/** Calls `make` for each Worker. Returns the results by Worker. */
export function perWorker<T>(make: (worker: Worker) => T): Record<Worker, T> {
  return { edge: make("edge"), ...perService(make) };
}

/** Calls `make` for each service. Returns the results by service. */
export function perService<T>(make: (service: Service) => T): Record<Service, T> {
  return Object.fromEntries(SERVICES.map((service) => [service, make(service)])) as Record<Service, T>;
}
