import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Scheduler } from '@app/kernel';
import type { buildConnector } from 'undici';
import type { NotSentCause } from './reply';
import { limitWire } from './wire-limit';

type NoConnectionCause = Extract<NotSentCause, 'unreachable' | 'name-not-resolved' | 'tls'>;

/** There is no connection, so that nothing was written. The message of the failure itself is not kept. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';

  constructor(readonly notSent: NoConnectionCause) {
    super(`no connection: ${notSent}`);
  }
}

export interface ConnectorOptions {
  readonly connectMs: number;
  readonly wireBytesMax: number;
  readonly trustedAuthorities?: string;
  readonly lookup?: LookupFunction;
  readonly scheduler: Scheduler;
}

const KEEP_ALIVE_AFTER_MS = 60_000;

const ignored = (): void => undefined;

/** Makes the sockets of one connection, one after the other, and ends the last. */
export class Connector {
  #socket: Socket | undefined;

  constructor(private readonly options: ConnectorOptions) {}

  readonly connect: buildConnector.connector = (target, callback) => {
    const { connectMs, wireBytesMax, scheduler } = this.options;
    const isTls = target.protocol === 'https:';
    let failsAs: NoConnectionCause = isIP(target.hostname) === 0 ? 'name-not-resolved' : 'unreachable';
    let isMade = false;
    const socket = this.#open(target, isTls);
    this.#socket = socket;
    const timer = scheduler.after(connectMs, () => socket.destroy());
    socket.once('lookup', (error?: Error | null) => (failsAs = error instanceof Error ? 'name-not-resolved' : 'unreachable'));
    if (isTls) socket.once('connect', () => (failsAs = 'tls'));
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      isMade = true;
      timer.cancel();
      limitWire(socket, wireBytesMax);
      callback(null, socket);
    });
    // Its close follows.
    socket.on('error', ignored);
    socket.once('close', () => {
      timer.cancel();
      if (!isMade) callback(new NoConnection(failsAs), null);
    });
  };

  /** Ends the socket, made or in the making, where there is one. */
  cut(): void {
    this.#socket?.destroy();
  }

  #open({ hostname, port, protocol }: buildConnector.Options, isTls: boolean): Socket {
    const { trustedAuthorities, lookup } = this.options;
    const address = {
      host: hostname,
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_AFTER_MS,
      ...(lookup !== undefined && { lookup }),
    };
    if (!isTls) return connectTcp(address);
    return connectTls({
      ...address,
      // An address is no server name.
      ...(isIP(hostname) === 0 && { servername: hostname }),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      // Set explicitly, for a variable of the environment could otherwise switch it off for the whole process.
      rejectUnauthorized: true,
      ...(trustedAuthorities !== undefined && { ca: trustedAuthorities }),
    });
  }
}
