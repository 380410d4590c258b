import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ACME } from './acme';

/** BENCH_DIR names another disk than that of temporary files, for all stores of all programs, including those of a PostgreSQL of this run. */
export const takeDisk = (): void => {
  const given = process.env['BENCH_DIR'];
  if (given === undefined) return;
  mkdirSync(given, { recursive: true });
  process.env['TMPDIR'] = resolve(given);
};

interface Customised {
  readonly callbackPorts?: readonly number[];
  readonly oauthPublicKeyFile?: string;
  readonly merchantPort?: number;
}

/** The folder of a measurement's stores, removed when the measurement ends. */
export class WorkFolder {
  readonly path: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'orchestrator-bench-'));
  }

  folder(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /**
   * One merchant, two endpoints, each at a gate that approves; callbacks may go to these ports, v4 requests are signed by the owner of the key in the
   * file, and the merchant's server for the device interface listens at its port. The HTTP code shows a device that it was refused.
   */
  configuration({ callbackPorts = [], oauthPublicKeyFile, merchantPort }: Customised = {}): string {
    const path = join(this.path, 'orchestrator.json');
    const configuration = {
      egress: { allow: ['127.0.0.1'], ports: [...callbackPorts, ...(merchantPort === undefined ? [] : [merchantPort])] },
      ...(merchantPort !== undefined && { groupB: { httpErrors: 'status-codes' } }),
      merchants: [
        {
          login: ACME.login,
          controlKey: ACME.controlKey,
          oauthPublicKeyFile,
          ...(merchantPort !== undefined && { merchantUrl: `http://127.0.0.1:${merchantPort}` }),
          endpoints: [
            { id: ACME.endpointId, currency: ACME.currency, gates: ['sim-a'] },
            { id: ACME.otherEndpointId, currency: ACME.currency, gates: ['sim-b'] },
          ],
        },
      ],
      gates: ['sim-a', 'sim-b'].map((alias) => ({ alias, adapter: 'simulator', currencies: [ACME.currency] })),
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
