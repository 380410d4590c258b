import { Client, type Dispatcher } from 'undici';
import { Connector, type ConnectorOptions } from './connector';
import { ANSWER_HEADER_BYTES_MAX } from './options';
import { targetOf, type EncodedRequest } from './request';
import { WIRE_BYTES_PER_BYTE } from './wire-limit';

const IDLE_MS_MAX = 4_000;
/** Limits the idle time where the gate promises to hold a socket for longer. */
const IDLE_PROMISED_MS_MAX = 60_000;
/** After these the gate's name is asked for again, since it may have moved. */
const REQUESTS_PER_SOCKET_MAX = 1_000;

/**
 * One kept connection, with one request on it at a time. A socket that is found closed is made anew before a request is written; once one was written
 * nothing is repeated.
 */
export class Connection {
  readonly #connector: Connector;
  readonly #client: Client;

  constructor(origin: string, answerBytesMax: number, options: Omit<ConnectorOptions, 'wireBytesMax'>) {
    this.#connector = new Connector({ ...options, wireBytesMax: WIRE_BYTES_PER_BYTE * (ANSWER_HEADER_BYTES_MAX + answerBytesMax) });
    this.#client = new Client(origin, {
      connect: this.#connector.connect,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_PROMISED_MS_MAX,
      maxRequestsPerClient: REQUESTS_PER_SOCKET_MAX,
      maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
      maxResponseSize: answerBytesMax,
      // The call as a whole has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  dispatch(request: EncodedRequest, handler: Dispatcher.DispatchHandler): void {
    const { method, headers, body = null } = request;
    this.#client.dispatch({ method, path: targetOf(request), headers: [...headers], body }, handler);
  }

  /** Ends the request that is under way, with its socket; the next request makes a new one. */
  cut(): void {
    this.#connector.cut();
  }

  async destroy(): Promise<void> {
    const destroyed = this.#client.destroy();
    this.#connector.cut();
    await destroyed;
  }
}
