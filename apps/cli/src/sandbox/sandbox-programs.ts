import { CommandFailed } from '../command-failed';
import { ServiceProcess, type ProgramStart } from './service-process';

/** The servers of a sandbox, which start and stop together. */
export class SandboxPrograms<Name extends string> {
  private constructor(
    /** By their names, in the order in which they stop. */
    readonly running: Readonly<Record<Name, ServiceProcess>>,
  ) {}

  /** @throws CommandFailed where one of them does not start; then none runs */
  static async start<Name extends string>(starts: Readonly<Record<Name, ProgramStart>>): Promise<SandboxPrograms<Name>> {
    const names = Object.keys(starts) as Name[];
    const starting = names.map((name) => ServiceProcess.start(starts[name]));
    try {
      const started = await Promise.all(starting);
      const running: Partial<Record<Name, ServiceProcess>> = {};
      for (const [index, name] of names.entries()) running[name] = started[index];
      return new SandboxPrograms(running as Record<Name, ServiceProcess>);
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

  async stop(): Promise<void> {
    for (const program of this.#all) await program.stop();
  }

  get #all(): readonly ServiceProcess[] {
    return Object.values(this.running);
  }
}

const endedAs = ({ title, logPath }: ServiceProcess, code: number): CommandFailed =>
  new CommandFailed(`${title} ended with code ${code}; its log is ${logPath}`);
