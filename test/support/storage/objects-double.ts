import { testEnv } from "./storage";

type Method = "put" | "get" | "head" | "createMultipartUpload" | "resumeMultipartUpload";
type Methods = Partial<Record<Method, (...args: never[]) => unknown>>;

/** Returns the test bucket with some methods replaced. */
export function objectsWith(methods: Methods): R2Bucket {
  const bucket = testEnv.OBJECTS;
  return new Proxy(bucket, {
    get: (_target, name: string) => {
      const replacement = methods[name as keyof Methods];
      if (replacement !== undefined) return replacement;
      const value: unknown = Reflect.get(bucket, name);
      return typeof value === "function" ? value.bind(bucket) : value;
    },
  });
}

/** Returns the test bucket, which adds each multipart upload that it creates to `createdUploads`. */
export function watchedObjects() {
  const createdUploads: R2MultipartUpload[] = [];
  const objects = objectsWith({
    createMultipartUpload: async (key: string) => {
      const upload = await testEnv.OBJECTS.createMultipartUpload(key);
      createdUploads.push(upload);
      return upload;
    },
  });
  return { objects, createdUploads };
}
