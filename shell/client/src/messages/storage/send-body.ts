type BodyRequest = {
  method: string;
  headers: Record<string, string>;
  body: Blob;
  /** time without progress until the request is aborted, ms */
  stallTimeout: number;
  /** called with the bytes sent so far */
  onProgress: (sent: number) => void;
};

/** Sends bytes with upload progress, which `fetch` lacks. Rejects like `fetch`, with `TimeoutError` when the upload stalls. */
export function sendBody(
  url: string,
  { method, headers, body, stallTimeout, onProgress }: BodyRequest,
): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restartTimer = () => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), stallTimeout);
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded }) => {
      restartTimer();
      onProgress(loaded);
    });
    request.addEventListener("load", () => done({ status: request.status, text: request.responseText }));
    request.addEventListener("error", () => fail(new TypeError("no response")));
    request.addEventListener("abort", () => fail(new DOMException("upload stalled", "TimeoutError")));
    request.addEventListener("loadend", () => clearTimeout(timer));
    restartTimer();
    request.send(body);
  });
}
