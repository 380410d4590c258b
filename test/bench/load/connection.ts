import { connect, type Socket } from 'node:net';

const HEADERS_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;
const CLOSES = /\r\nconnection: close/i;

export class Connection {
  readonly #port: number;
  readonly #onAnswer: (status: string, body: string) => void;
  readonly #onError: (error: Error) => void;
  #socket: Socket;
  #received = '';
  #isClosed = false;

  constructor(port: number, onAnswer: (status: string, body: string) => void, onError: (error: Error) => void) {
    this.#port = port;
    this.#onAnswer = onAnswer;
    this.#onError = onError;
    this.#socket = this.#open();
  }

  send(request: string): void {
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#take(chunk));
    socket.on('error', (error) => this.#onError(error));
    socket.on('close', () => {
      if (!this.#isClosed && socket === this.#socket) this.#onError(new Error('the server closed a connection with a request under way'));
    });
    return socket;
  }

  #take(chunk: string): void {
    const received = this.#received === '' ? chunk : this.#received + chunk;
    const headersEnd = received.indexOf(HEADERS_END);
    const headers = headersEnd < 0 ? '' : received.slice(0, headersEnd);
    const length = Number(CONTENT_LENGTH.exec(headers)?.[1] ?? Number.NaN);
    if (headersEnd < 0 || received.length < headersEnd + HEADERS_END.length + length) {
      this.#received = received;
      return;
    }
    this.#received = '';
    if (CLOSES.test(headers)) {
      const done = this.#socket;
      this.#socket = this.#open();
      done.destroy();
    }
    this.#onAnswer(headers.slice(9, 12), received.slice(headersEnd + HEADERS_END.length));
  }
}
