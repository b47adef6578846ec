import { testEnv } from "./storage";

type Method = "put" | "get" | "head" | "createMultipartUpload" | "resumeMultipartUpload";
type Methods = Partial<Record<Method, (...args: never[]) => unknown>>;

/** The bucket of the test, with methods of a double before its own. */
export function objectsWith(methods: Methods): R2Bucket {
  const real = testEnv.OBJECTS;
  return new Proxy(real, {
    get: (_target, name: string) => {
      const own = methods[name as keyof Methods];
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(real, name);
      return typeof value === "function" ? value.bind(real) : value;
    },
  });
}

/** The bucket of the test, which remembers the uploads in parts that were begun. */
export function watchedObjects() {
  const begun: R2MultipartUpload[] = [];
  const objects = objectsWith({
    createMultipartUpload: async (key: string) => {
      const upload = await testEnv.OBJECTS.createMultipartUpload(key);
      begun.push(upload);
      return upload;
    },
  });
  return { objects, begun };
}
