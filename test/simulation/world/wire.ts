export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class ArrivedRequest {
  readonly destroyed = false;
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersDistinct: Readonly<Record<string, readonly string[]>>;
  readonly #body: string;
  #data: ((chunk: Uint8Array) => void) | undefined;

  constructor(
    { method, path, headers, body = '' }: WireRequest,
    readonly params: Readonly<Record<string, string>>,
  ) {
    this.method = method;
    this.url = path;
    this.path = path.split('?', 1)[0] ?? path;
    this.headers = headers;
    this.headersDistinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    this.#body = body;
  }

  on(event: string, hear: (chunk: Uint8Array) => void): this {
    if (event === 'data') this.#data = hear;
    if (event === 'end')
      queueMicrotask(() => {
        if (this.#body !== '') this.#data?.(Buffer.from(this.#body));
        hear(new Uint8Array());
      });
    return this;
  }
}

export class AnswerWriter {
  readonly destroyed = false;
  readonly #headers: Record<string, string> = {};
  #status = 200;
  #isSent = false;
  #finished: (() => void) | undefined;

  constructor(private readonly sent: (answer: WireAnswer) => void) {}

  get statusCode(): number {
    return this.#status;
  }

  once(event: string, listener: () => void): this {
    if (event === 'finish') this.#finished = listener;
    return this;
  }

  get headersSent(): boolean {
    return this.#isSent;
  }

  setHeader(name: string, value: string): this {
    this.#headers[name.toLowerCase()] = value;
    return this;
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>>): this {
    this.#status = status;
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, String(value));
    return this;
  }

  end(body = ''): this {
    if (this.#isSent) return this;
    this.#isSent = true;
    this.sent({ status: this.#status, headers: this.#headers, body });
    this.#finished?.();
    return this;
  }
}
