import { testEnv } from "./storage";

type Method = "put" | "get" | "head" | "createMultipartUpload" | "resumeMultipartUpload";
type Methods = Partial<Record<Method, (...args: never[]) => unknown>>;

/** Returns the test bucket with some methods replaced. */
export function objectsWith(methods: Methods): R2Bucket {
  const real = testEnv.OBJECTS;
  return new Proxy(real, {
    get: (_target, name: string) => {
      const replacement = methods[name as keyof Methods];
      if (replacement !== undefined) return replacement;
      const value: unknown = Reflect.get(real, name);
      return typeof value === "function" ? value.bind(real) : value;
    },
  });
}

/** Returns the test bucket, which adds each multipart upload that it creates to `begun`. */
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
