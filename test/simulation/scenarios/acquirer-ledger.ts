import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrderId } from '@app/kernel';
import { openSimulatorLedger, readLedger, type LedgerReader, type SimulatorLedger } from '@app/gateway-adapters/simulator';
import { FollowUpScenario } from './follow-up-scenario';

export class AcquirerLedger {
  readonly #folder = mkdtempSync(join(tmpdir(), 'acquirer-ledger-'));
  #written: SimulatorLedger | undefined;
  #read: LedgerReader | undefined;
  #scenarios = 0;

  static ofTheseTests(): AcquirerLedger {
    const ledger = new AcquirerLedger();
    beforeAll(() => ledger.#open());
    afterAll(() => ledger.#remove());
    return ledger;
  }

  get read(): LedgerReader {
    if (this.#read === undefined) throw new Error('the ledger is open only while tests run');
    return this.#read;
  }

  /** A separate seed for each, because all of them write one ledger. */
  newScenario(settings?: ConstructorParameters<typeof FollowUpScenario>[2]): FollowUpScenario {
    if (this.#written === undefined) throw new Error('the ledger is open only while tests run');
    return new FollowUpScenario(this.#written, ++this.#scenarios, settings);
  }

  requestsOf(orderId: OrderId): readonly string[] {
    return this.read
      .requests()
      .filter((request) => request.orderId === orderId)
      .map(({ kind }) => kind);
  }

  violationsOf(orderId: OrderId): ReturnType<LedgerReader['violations']> {
    return this.read.violations().filter((request) => request.orderId === orderId);
  }

  async #open(): Promise<void> {
    const path = join(this.#folder, 'simulator.sqlite');
    this.#written = await openSimulatorLedger(path);
    this.#read = readLedger(path);
  }

  async #remove(): Promise<void> {
    this.#read?.close();
    await this.#written?.close();
    rmSync(this.#folder, { recursive: true });
  }
}
