import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly surplus: Buffer;
}

const HOST = '127.0.0.1';
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const ANSWER_TIMEOUT_MS = 20_000;
/** Less than `Keep-Alive: timeout=4`. */
const PROMISED_IDLE_MS = 3_500;
const NOTHING = Buffer.alloc(0);
/** Node only sends chunks here as an empty body, after an expectation that it cannot meet. */
const NO_CHUNKS = Buffer.from('0\r\n\r\n');

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
}

const headIn = (received: Buffer): Head | undefined => {
  const end = received.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`no answer of HTTP/1.1: ${statusLine}`);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status, headers: Object.fromEntries(headers), bytes: end + END_OF_HEAD.length };
};

export class KeepAliveSocket {
  #socket: Socket | undefined;
  #answeredAt = 0;

  constructor(private readonly port: number) {}

  /**
   * Never reuses a connection past its promised idle time, when the other side may close it.
   * @throws Error if the answer is missing or not HTTP
   */
  async exchange(request: Buffer, method: string): Promise<RawAnswer> {
    if (performance.now() - this.#answeredAt > PROMISED_IDLE_MS) this.close();
    const answer = await this.attempt(request, method);
    this.#answeredAt = performance.now();
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  private opened(): Socket {
    this.#socket = connect({ port: this.port, host: HOST, noDelay: true }).on('error', () => undefined);
    return this.#socket;
  }

  private attempt(request: Buffer, method: string): Promise<RawAnswer> {
    const socket = this.#socket ?? this.opened();
    return new Promise((resolve, reject) => {
      let received: Buffer = NOTHING;
      const end = (): void => {
        clearTimeout(late);
        socket.off('data', onData).off('close', onClose);
      };
      const settle = ({ status, headers, bytes }: Head, bodyBytes: number): void => {
        end();
        if (headers['connection'] !== 'keep-alive' || socket.destroyed) this.close();
        const bodyEnd = bytes + bodyBytes;
        resolve({ status, headers, body: received.subarray(bytes, bodyEnd), surplus: received.subarray(bodyEnd) });
      };
      const fail = (error: Error): void => {
        end();
        this.close();
        reject(error);
      };
      const look = (isClosed: boolean): void => {
        for (let head = headIn(received); head !== undefined; head = headIn(received)) {
          if (head.status >= 200) {
            const { 'content-length': length } = head.headers;
            const left = received.length - head.bytes;
            if (head.headers['transfer-encoding'] !== undefined && method !== 'HEAD') {
              if (received.subarray(head.bytes).equals(NO_CHUNKS)) settle({ ...head, bytes: received.length }, 0);
              else if (isClosed || left >= NO_CHUNKS.length) fail(new Error('an answer in chunks'));
              return;
            }
            const bodyBytes = method === 'HEAD' ? 0 : length === undefined ? left : Number(length);
            const isWhole = left >= bodyBytes && (isClosed || length !== undefined || method === 'HEAD');
            if (isWhole) settle(head, bodyBytes);
            else if (isClosed) fail(new Error('the connection was closed within an answer'));
            return;
          }
          received = received.subarray(head.bytes);
        }
        if (!isClosed) return;
        if (received.length > 0) fail(new Error('the connection was closed within the head of an answer'));
        else {
          end();
          this.close();
          resolve({ status: 0, headers: {}, body: NOTHING, surplus: NOTHING });
        }
      };
      const guarded = (isClosed: boolean): void => {
        try {
          look(isClosed);
        } catch (error) {
          fail(error as Error);
        }
      };
      const late = setTimeout(() => fail(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)), ANSWER_TIMEOUT_MS);
      const onData = (chunk: Buffer): void => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        guarded(false);
      };
      const onClose = (): void => guarded(true);
      socket.on('data', onData).on('close', onClose);
      if (socket.destroyed) guarded(true);
      else socket.write(request);
    });
  }
}
