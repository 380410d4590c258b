import { Connection } from './connection';

/** One request after the other, over one connection. */
export class OperatorClient {
  readonly #connection: Connection;
  readonly #token: string;
  #waiting: { readonly resolve: (body: string) => void; readonly reject: (error: Error) => void } | undefined;

  constructor(port: number, token: string) {
    this.#token = token;
    const fail = (error: Error): void => this.#waiting?.reject(error);
    const answered = (status: string, body: string): void => {
      if (status === '200') this.#waiting?.resolve(body);
      else fail(new Error(`${status} ${body.slice(0, 300)}`));
    };
    this.#connection = new Connection(port, answered, fail);
  }

  /** @throws Error unless it is answered with 200 */
  async get(path: string): Promise<string> {
    const answered = new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    const headers = `Host: 127.0.0.1\r\nConnection: keep-alive\r\nAuthorization: Bearer ${this.#token}`;
    this.#connection.send(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
    try {
      return await answered;
    } catch (error) {
      throw new Error(`GET ${path}`, { cause: error });
    }
  }

  close(): void {
    this.#connection.close();
  }
}
