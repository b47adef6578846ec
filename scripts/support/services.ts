/** The services, in the order in which they can be deployed: each binds only what stands before it (see README.md). */
export const services = ["identity", "email", "hosting", "storage"] as const;

export type Service = (typeof services)[number];

/** Every Worker: the edge and the services. */
export const workers = ["edge", ...services] as const;

export type Worker = (typeof workers)[number];

/** One value for each Worker. */
export function perWorker<T>(make: (worker: Worker) => T): Record<Worker, T> {
  return { edge: make("edge"), ...perService(make) };
}

/** One value for each service. */
export function perService<T>(make: (service: Service) => T): Record<Service, T> {
  return { identity: make("identity"), email: make("email"), hosting: make("hosting"), storage: make("storage") };
}
