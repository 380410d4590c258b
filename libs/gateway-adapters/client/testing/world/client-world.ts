import type { GateAlias } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import type { CallLimit } from '../../../contract';
import { GateClient, type GateClientOptions } from '../../gate-client';
import type { GateRequest } from '../../request';
import type { TranscriptEntry } from '../../transcript';
import { ScriptedPeer, type PeerOptions } from '../scripted-peer';

const closers: (() => Promise<unknown>)[] = [];

export const closeOpened = async (): Promise<void> => {
  for (const close of closers.splice(0).reverse()) await close();
};

export const alsoClose = (close: () => Promise<unknown>): void => void closers.push(close);

export const openPeer = async (options?: PeerOptions): Promise<ScriptedPeer> => {
  const peer = await ScriptedPeer.start(options);
  closers.push(() => peer.close());
  return peer;
};

export const openClient = (baseUrl: string, options: Partial<GateClientOptions> = {}) => {
  const clock = new VirtualClock();
  const entries: TranscriptEntry[] = [];
  const client = new GateClient({
    gate: 'gate-a' as GateAlias,
    baseUrl,
    connectionsMax: 4,
    waitingMax: 4,
    connectMs: 5_000,
    monotonic: clock,
    scheduler: clock,
    onTranscript: (entry) => entries.push(entry),
    ...options,
  });
  closers.push(async () => {
    const closed = client.close(0);
    await clock.advance(0);
    await closed;
  });
  return { client, clock, entries };
};

export const openBoth = async (options: Partial<GateClientOptions> = {}, peerOptions?: PeerOptions) => {
  const peer = await openPeer(peerOptions);
  return { peer, ...openClient(peer.baseUrl, options) };
};

export const post = (path = '/pay', more: Partial<GateRequest> = {}): GateRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: '{"amount":"10.42"}',
  ...more,
});

export const CALL_MS = 10_000;

export const limit = (more: Partial<CallLimit> = {}): CallLimit => ({ withinMs: CALL_MS, signal: new AbortController().signal, ...more });
