import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { Scheduled, Scheduler } from '@app/kernel';
import { silence, type CallError } from './failure';
import type { Connection } from './raw-client';

export interface ReadCallSettings {
  readonly client: Connection;
  readonly scheduler: Scheduler;
  readonly request: ReadReq;
  /** The call ends after this time without a response, unless it is paused. Undefined if the caller monitors it. */
  readonly silenceMs?: number;
  readonly onResponse: (response: ReadResp) => void;
  /** Called once unless the call was cancelled. Without an error, the server has sent everything. */
  readonly onEnd: (error: CallError | undefined) => void;
}

/**
 * One Read call with flow control: while paused, further messages stay at the server. The client's deadline has no effect on reads, so the
 * call has a timer (EventStoreDB notes, section 1, points 2 and 9).
 */
export class ReadCall {
  readonly #settings: ReadCallSettings;
  #receivedBefore = 0;
  #streams: StreamsClient | undefined;
  #call: ClientReadableStream<ReadResp> | undefined;
  #timer: Scheduled | undefined;
  #hasResponded = false;
  #isPaused = false;
  #isOver = false;
  #isDone = false;

  constructor(settings: ReadCallSettings) {
    this.#settings = settings;
    this.#listener();
    void this.#open();
  }

  pause(): void {
    this.#isPaused = true;
    this.#call?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#hasResponded = true;
    this.#call?.resume();
  }

  cancel(): Promise<void> {
    this.#over();
    const call = this.#call;
    if (call === undefined || this.#isDone) return Promise.resolve();
    // Deferred, because gRPC loses a cancellation made in one of its callbacks.
    return new Promise((resolve) => {
      setImmediate(() => {
        call.cancel();
        resolve();
      });
    });
  }

  async #open(): Promise<void> {
    const { client, request, onResponse } = this.#settings;
    try {
      const streams = await client.streams();
      if (this.#isOver) return;
      this.#streams = streams;
      const call = streams.read(request, ...client.callArguments());
      this.#call = call;
      call.on('data', (response: ReadResp) => {
        this.#hasResponded = true;
        client.received();
        if (!this.#isOver) onResponse(response);
      });
      call.on('error', (error: CallError) => {
        client.failed(streams, error);
        this.#end(error);
      });
      call.on('end', () => this.#end(undefined));
      if (this.#isPaused) call.pause();
    } catch (error) {
      this.#end(error as CallError);
    }
  }

  #listener(): void {
    const { client, scheduler, silenceMs, onEnd } = this.#settings;
    if (silenceMs === undefined) return;
    this.#receivedBefore = client.receivedCount;
    this.#timer = scheduler.after(silenceMs, () => {
      if (this.#hasResponded || this.#isPaused) {
        this.#hasResponded = false;
        this.#listener();
        return;
      }
      if (this.#isOver) return;
      if (this.#streams !== undefined) client.silent(this.#streams, this.#receivedBefore);
      void this.cancel();
      onEnd(silence(silenceMs));
    });
  }

  #over(): void {
    this.#isOver = true;
    this.#timer?.cancel();
  }

  #end(error: CallError | undefined): void {
    this.#isDone = true;
    if (this.#isOver) return;
    this.#over();
    this.#settings.onEnd(error);
  }
}
