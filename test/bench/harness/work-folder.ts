import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACME } from './acme';

/** Where the stores of a measurement lie; BENCH_DIR names another disk. Gone when the measurement ends. */
export class WorkFolder {
  readonly path: string;

  constructor() {
    const parent = process.env['BENCH_DIR'] ?? tmpdir();
    mkdirSync(parent, { recursive: true });
    this.path = mkdtempSync(join(parent, 'orchestrator-bench-'));
  }

  folder(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** One merchant, one gate that approves; callbacks may go to the receiver's port. */
  configuration(callbackPort?: number): string {
    const path = join(this.path, 'orchestrator.json');
    const configuration = {
      egress: { allow: ['127.0.0.1'], ports: callbackPort === undefined ? [] : [callbackPort] },
      merchants: [
        { login: ACME.login, controlKey: ACME.controlKey, endpoints: [{ id: ACME.endpointId, currency: ACME.currency, gates: ['sim-a'] }] },
      ],
      gates: [{ alias: 'sim-a', adapter: 'simulator', currencies: [ACME.currency] }],
    };
    writeFileSync(path, JSON.stringify(configuration));
    return path;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The folder is removed however the measurement ends. */
export const inWorkFolder = async <Result>(measure: (folder: WorkFolder) => Promise<Result>): Promise<Result> => {
  const folder = new WorkFolder();
  try {
    return await measure(folder);
  } finally {
    folder.remove();
  }
};
