import { CommandFailed } from '../command-failed';
import type { SandboxSettings } from './sandbox-settings';
import { ServiceProcess } from './service-process';

/** The servers of the sandbox, which start and stop together. */
export class SandboxPrograms {
  private constructor(
    readonly service: ServiceProcess,
    readonly merchantServer: ServiceProcess,
  ) {}

  /** @throws CommandFailed where one of them does not start; then none runs */
  static async start(settings: SandboxSettings): Promise<SandboxPrograms> {
    const { environment, dataDir, port, merchantEnvironment, merchantDataDir, merchantPort } = settings;
    const starting = [
      ServiceProcess.start({ title: 'the service', app: 'orchestrator', environment, dataDir, port }),
      ServiceProcess.start({
        title: 'the merchant server',
        app: 'merchant-server',
        environment: merchantEnvironment,
        dataDir: merchantDataDir,
        port: merchantPort,
      }),
    ] as const;
    try {
      const [service, merchantServer] = await Promise.all(starting);
      return new SandboxPrograms(service, merchantServer);
    } catch (error) {
      for (const end of await Promise.allSettled(starting)) if (end.status === 'fulfilled') await end.value.stop();
      throw error;
    }
  }

  /** Resolves when one has ended by itself, with the message to show. */
  async ended(): Promise<CommandFailed> {
    return Promise.race(this.#all.map(async (program) => endedAs(program, await program.ended)));
  }

  /** The same within this time, since a request may fail just before the end is noticed. */
  async endedWithin(timeoutMs: number): Promise<CommandFailed | undefined> {
    const codes = await Promise.all(this.#all.map((program) => program.endedWithin(timeoutMs)));
    const at = codes.findIndex((code) => code !== undefined);
    const program = this.#all[at];
    return program === undefined ? undefined : endedAs(program, codes[at] ?? 0);
  }

  /** Stops the gateway first, since it still notifies the merchant server of what it finishes. */
  async stop(): Promise<void> {
    await this.service.stop();
    await this.merchantServer.stop();
  }

  get #all(): readonly ServiceProcess[] {
    return [this.service, this.merchantServer];
  }
}

const endedAs = ({ title, logPath }: ServiceProcess, code: number): CommandFailed =>
  new CommandFailed(`${title} ended with code ${code}; its log is ${logPath}`);
