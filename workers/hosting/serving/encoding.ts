/** Returns whether `Accept-Encoding` accepts gzip (RFC 9110 12.5.3). */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  const qualities = new Map(
    (acceptEncoding ?? "")
      .slice(0, 1000)
      .toLowerCase()
      .split(",")
      .map((part): [string, number] => {
        const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
        const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
        return [coding, quality === undefined ? 1 : Number(quality) || 0];
      }),
  );
  return (qualities.get("gzip") ?? qualities.get("x-gzip") ?? qualities.get("*") ?? 0) > 0;
}
