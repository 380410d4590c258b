import { Agent, request, type Dispatcher } from 'undici';

const REQUEST_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 128;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export type RequestOptions = Omit<Dispatcher.RequestOptions, 'path' | 'origin' | 'method'> & { readonly method?: string };

export interface PublicSide {
  request(path: string, options?: RequestOptions): Promise<HttpAnswer>;
  send(url: string, options?: RequestOptions): Promise<HttpAnswer>;
}

export class HttpClient implements PublicSide {
  readonly #agent = new Agent({ connections: CONNECTIONS_MAX, headersTimeout: REQUEST_TIMEOUT_MS, bodyTimeout: REQUEST_TIMEOUT_MS });

  constructor(private readonly baseUrl: () => string) {}

  request(path: string, options: RequestOptions = {}): Promise<HttpAnswer> {
    return this.send(this.baseUrl() + path, options);
  }

  async send(url: string, options: RequestOptions = {}): Promise<HttpAnswer> {
    const { statusCode, headers, body } = await request(url, { dispatcher: this.#agent, ...options });
    return { status: statusCode, headers, body: await body.text() };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
