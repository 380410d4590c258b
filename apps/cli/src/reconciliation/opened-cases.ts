import type { GateAlias } from '@app/kernel';
import type { OrchestratorEnvironment } from '@app/configuration';
import { caseRequestOf, type CaseRequestBody, type CaseSource } from '@app/reconciliation';
import { askOperatorPort, claimOf } from '../service/operator-port';
import type { ShownFinding } from './render-finding';

/** What the running service takes in one request: so many cases, and so many bytes of them beside what else it says. */
const CASES_AT_ONCE = 20;
const CASES_BYTES = 15_000;

export interface CasesOpener {
  readonly environment: OrchestratorEnvironment;
  readonly token: string;
  readonly gate: GateAlias;
  readonly source: CaseSource;
  readonly actor: string | undefined;
}

/** Opens cases at the running service, which alone writes; the same difference again finds its case. */
export class OpenedCases {
  #waiting: CaseRequestBody[] = [];
  #waitingBytes = 0;
  #opened = 0;
  #known = 0;

  constructor(private readonly opener: CasesOpener) {}

  /** @param fileDigest of the file that shows it. @throws CommandFailed */
  async add(found: ShownFinding, fileDigest?: string): Promise<void> {
    const { gate, source } = this.opener;
    await this.addRequest(caseRequestOf(found, { gate, source }), fileDigest);
  }

  /** @throws CommandFailed */
  async addRequest(request: CaseRequestBody, fileDigest?: string): Promise<void> {
    const bytes = Buffer.byteLength(JSON.stringify(request)) + 1;
    if (this.#waitingBytes + bytes > CASES_BYTES) await this.flush(fileDigest);
    this.#waiting.push(request);
    this.#waitingBytes += bytes;
    if (this.#waiting.length >= CASES_AT_ONCE) await this.flush(fileDigest);
  }

  /** @throws CommandFailed */
  async flush(fileDigest?: string): Promise<{ readonly opened: number; readonly known: number }> {
    const cases = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (cases.length > 0) {
      const { environment, token, gate, source, actor } = this.opener;
      const action = { gate, source, ...(fileDigest !== undefined && { fileDigest }), cases, ...claimOf(actor) };
      const answer = (await askOperatorPort(environment, token, '/reconciliation/cases', action)) as {
        readonly cases: readonly { readonly isNew: boolean }[];
      };
      const opened = answer.cases.filter(({ isNew }) => isNew).length;
      this.#opened += opened;
      this.#known += answer.cases.length - opened;
    }
    return { opened: this.#opened, known: this.#known };
  }
}
