declare module "parse-prometheus-text-format" {
  type Metric = { value: string; labels?: Record<string, string> };
  type Family = { name: string; help: string; type: string; metrics: Metric[] };
  const parse: (text: string) => Family[];
  export default parse;
}
