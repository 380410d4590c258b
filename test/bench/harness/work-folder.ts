import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACME } from './acme';

interface Configured {
  readonly callbackPort?: number;
  readonly merchantPort?: number;
  /** Merchants besides the first one. */
  readonly shops?: readonly string[];
  readonly operators?: readonly object[];
}

const FIRST_SHOP_ENDPOINT = 2_001;

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

  configuration({ callbackPort, merchantPort, shops = [], operators }: Configured = {}): string {
    const path = join(this.path, 'orchestrator.json');
    const gateOf = { [ACME.endpointId]: 'sim-a', [ACME.otherEndpointId]: 'sim-b' };
    const configuration = {
      egress: { allow: ['127.0.0.1'], ports: [callbackPort, merchantPort].filter((port) => port !== undefined) },
      ...(merchantPort !== undefined && { groupB: { httpErrors: 'status-codes' } }),
      merchants: [
        {
          login: ACME.login,
          controlKey: ACME.controlKey,
          ...(merchantPort !== undefined && { merchantUrl: `http://127.0.0.1:${merchantPort}` }),
          endpoints: Object.entries(gateOf).map(([id, gate]) => ({ id, currency: ACME.currency, gates: [gate] })),
        },
        ...shops.map((login, index) => ({
          login,
          controlKey: randomUUID(),
          endpoints: [{ id: String(FIRST_SHOP_ENDPOINT + index), currency: ACME.currency, gates: ['sim-a'] }],
        })),
      ],
      ...(operators !== undefined && { operators }),
      gates: Object.values(gateOf).map((alias) => ({ alias, adapter: 'simulator', currencies: [ACME.currency] })),
    };
    writeFileSync(path, JSON.stringify(configuration));
    return path;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export const inWorkFolder = async <Result>(measure: (folder: WorkFolder) => Promise<Result>): Promise<Result> => {
  const folder = new WorkFolder();
  try {
    return await measure(folder);
  } finally {
    folder.remove();
  }
};
