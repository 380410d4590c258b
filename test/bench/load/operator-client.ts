import { Connection } from './connection';

/** One request after the other, over one connection. The service closes it while nobody asks, so the next request opens another. */
export class OperatorClient {
  readonly #port: number;
  readonly #token: string;
  #connection: Connection | undefined;
  #waiting: { readonly resolve: (body: string) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(port: number, token: string) {
    this.#port = port;
    this.#token = token;
  }

  /** @throws Error unless it is answered with 200 */
  async get(path: string): Promise<string> {
    const answered = new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    const headers = `Host: 127.0.0.1\r\nConnection: keep-alive\r\nAuthorization: Bearer ${this.#token}`;
    this.#connection ??= this.#open();
    this.#connection.send(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
    try {
      return await answered;
    } catch (error) {
      throw new Error(`GET ${path}`, { cause: error });
    } finally {
      this.#waiting = undefined;
    }
  }

  close(): void {
    this.#connection?.close();
  }

  #open(): Connection {
    const failed = (error: Error): void => {
      this.#connection = undefined;
      this.#waiting?.reject(error);
    };
    const answered = (status: string, body: string): void => {
      if (status === '200') this.#waiting?.resolve(body);
      else this.#waiting?.reject(new Error(`${status} ${body.slice(0, 300)}`));
    };
    return new Connection(this.#port, answered, failed);
  }
}
