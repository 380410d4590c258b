import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { recordConfiguration, type RecordConfigurationPorts } from '@app/investigation/record';
import type { Scheduled, Scheduler } from '@app/kernel';

interface ConfigurationOnRecordPorts extends RecordConfigurationPorts {
  /** Makes the redacted copy. */
  readonly copy: () => string;
  /** The names of the vault's keys. */
  readonly keys: () => readonly string[];
  /** Calls back when the vault takes other keys while the process runs. */
  readonly onKeysChanged: (listener: () => void) => void;
  readonly scheduler: Scheduler;
  readonly onUnwritten: (error: unknown) => void;
}

/** A store that is away at the start is no reason not to serve: orders wait for it in any case. */
const AGAIN_MS = 5_000;

/** Puts the configuration of this process on record when it starts and when its keys change, and tries again until that is done. */
export class ConfigurationOnRecord implements OnApplicationBootstrap, OnApplicationShutdown {
  #next: Scheduled | undefined;
  #isStopped = false;
  #recording: Promise<void> = Promise.resolve();

  constructor(private readonly ports: ConfigurationOnRecordPorts) {}

  onApplicationBootstrap(): Promise<void> {
    this.ports.onKeysChanged(() => void this.#record());
    return this.#record();
  }

  /** One after the other, each with the keys as they are then: the newest on record is what this process has. */
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
