type Sending = {
  method: string;
  headers: Record<string, string>;
  body: Blob;
  /** time without progress until the request is aborted, ms */
  silence: number;
  /** called with the bytes sent so far */
  progress: (sent: number) => void;
};

/** Sends bytes with upload progress, which `fetch` lacks. Rejects like `fetch`, with `TimeoutError` when the upload stalls. */
export function sendBody(
  url: string,
  { method, headers, body, silence, progress }: Sending,
): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), silence);
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded }) => {
      listen();
      progress(loaded);
    });
    request.addEventListener("load", () => done({ status: request.status, text: request.responseText }));
    request.addEventListener("error", () => fail(new TypeError("no answer")));
    request.addEventListener("abort", () => fail(new DOMException("nothing moves", "TimeoutError")));
    request.addEventListener("loadend", () => clearTimeout(timer));
    listen();
    request.send(body);
  });
}
