import { connect, type Socket } from 'node:net';

export interface RawExchange {
  readonly text: string;
  readonly openMs: number;
}

const HOST = '127.0.0.1';

/**
 * Sends bytes unchanged and reads until the other side closes.
 * @throws Error if it is still open after `timeoutMs`
 */
export const exchangeRaw = (port: number, text: string, timeoutMs = 20_000): Promise<RawExchange> =>
  new Promise((resolve, reject) => {
    const socket: Socket = connect(port, HOST);
    let received = '';
    let sentAt = performance.now();
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`still open after ${timeoutMs} ms; received: ${received}`));
    }, timeoutMs);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (received += chunk));
    socket.on('error', () => undefined);
    socket.once('connect', () => socket.write(text, 'latin1', () => (sentAt = performance.now())));
    socket.once('close', () => {
      clearTimeout(late);
      resolve({ text: received, openMs: performance.now() - sentAt });
    });
  });

export const statusesIn = ({ text }: RawExchange): readonly number[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
