import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { recordConfiguration, type RecordConfigurationPorts } from '@app/investigation/record';
import type { Scheduled, Scheduler } from '@app/kernel';

interface RecordedConfigurationPorts extends RecordConfigurationPorts {
  readonly copy: () => string;
  readonly keys: () => readonly string[];
  /** Calls back when the vault's keys change. */
  readonly onKeysChanged: (listener: () => void) => void;
  readonly scheduler: Scheduler;
  readonly onUnwritten: (error: unknown) => void;
}

/** An unavailable store does not prevent the start, because orders wait for it in any case. */
const AGAIN_MS = 5_000;

/** Records the configuration at the start and when it or the keys change, and retries until it is stored. */
export class RecordedConfiguration implements OnApplicationBootstrap, OnApplicationShutdown {
  #next: Scheduled | undefined;
  #isStopped = false;
  #recording: Promise<void> = Promise.resolve();

  constructor(private readonly ports: RecordedConfigurationPorts) {}

  onApplicationBootstrap(): Promise<void> {
    this.ports.onKeysChanged(() => this.changed());
    return this.#record();
  }

  changed(): void {
    void this.#record();
  }

  /** Runs in sequence with the current keys, so that the newest record is the current configuration. */
  #record(): Promise<void> {
    this.#recording = this.#recording.then(() => this.#tryToRecord());
    return this.#recording;
  }

  async #tryToRecord(): Promise<void> {
    if (this.#isStopped) return;
    this.#next?.cancel();
    try {
      await recordConfiguration(this.ports, this.ports.copy(), this.ports.keys());
    } catch (error) {
      this.ports.onUnwritten(error);
      if (!this.#isStopped) this.#next = this.ports.scheduler.after(AGAIN_MS, () => void this.#record());
    }
  }

  onApplicationShutdown(): void {
    this.#isStopped = true;
    this.#next?.cancel();
  }
}
