import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { recordConfiguration, type RecordConfigurationPorts } from '@app/configuration-record';
import type { Scheduled, Scheduler } from '@app/kernel';

export interface ConfigurationOnRecordPorts extends RecordConfigurationPorts {
  /** Makes the redacted copy. */
  readonly copy: () => string;
  /** The names of the vault's keys. */
  readonly keys: () => readonly string[];
  readonly scheduler: Scheduler;
  readonly onUnwritten: (error: unknown) => void;
}

/** A store that is away at the start is no reason not to serve: orders wait for it in any case. */
const AGAIN_MS = 5_000;

/** Puts the configuration of this process on record when it starts, and tries again until that is done. */
export class ConfigurationOnRecord implements OnApplicationBootstrap, OnApplicationShutdown {
  #next: Scheduled | undefined;
  #isStopped = false;

  constructor(private readonly ports: ConfigurationOnRecordPorts) {}

  async onApplicationBootstrap(): Promise<void> {
    try {
      await recordConfiguration(this.ports, this.ports.copy(), this.ports.keys());
    } catch (error) {
      this.ports.onUnwritten(error);
      if (!this.#isStopped) this.#next = this.ports.scheduler.after(AGAIN_MS, () => void this.onApplicationBootstrap());
    }
  }

  onApplicationShutdown(): void {
    this.#isStopped = true;
    this.#next?.cancel();
  }
}
