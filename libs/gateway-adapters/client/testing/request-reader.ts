export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const HEAD_END = '\r\n\r\n';

/** Reads the requests of one connection. Bodies need a content-length. */
export class RequestReader {
  #held = Buffer.alloc(0);
  #begun = 0;

  constructor(private readonly received: (request: ReceivedRequest) => void) {}

  get begun(): number {
    return this.#begun;
  }

  add(bytes: Buffer): void {
    if (this.#held.length === 0) this.#begun += 1;
    this.#held = Buffer.concat([this.#held, bytes]);
    for (let request = this.#next(); request !== undefined; request = this.#next()) {
      if (this.#held.length > 0) this.#begun += 1;
      this.received(request);
    }
  }

  #next(): ReceivedRequest | undefined {
    const headEnd = this.#held.indexOf(HEAD_END);
    if (headEnd === -1) return undefined;
    const [requestLine = '', ...lines] = this.#held.toString('latin1', 0, headEnd).split('\r\n');
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const bodyFrom = headEnd + HEAD_END.length;
    const end = bodyFrom + Number(headers.get('content-length') ?? 0);
    if (this.#held.length < end) return undefined;
    const [method = '', path = ''] = requestLine.split(' ');
    const body = this.#held.toString('utf8', bodyFrom, end);
    this.#held = this.#held.subarray(end);
    return { method, path, headers, body };
  }
}
