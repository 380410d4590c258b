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

/** How often an order that is under way at an upstream gateway is asked about. */
export const UPSTREAM_POLL_SECONDS = 0.25;

interface Customised {
  readonly callbackPorts?: readonly number[];
  readonly oauthPublicKeyFile?: string;
  readonly merchantPort?: number;
  /** The first endpoint's gate is the upstream gateway at this port, of the same merchant, instead of a simulator. */
  readonly upstreamPort?: number;
  readonly circuitOpenSeconds?: number;
}

const UPSTREAM_GATE = 'upstream-a';

/** A gate behind which another service of the same configuration stands. */
const upstreamGate = (port: number): object => ({
  alias: UPSTREAM_GATE,
  adapter: 'paynet',
  currencies: [ACME.currency],
  longestFlightSeconds: 30,
  controlKey: ACME.controlKey,
  pollSeconds: UPSTREAM_POLL_SECONDS,
  upstream: { baseUrl: `http://127.0.0.1:${port}/paynet`, plainHttp: true, login: ACME.login, endpoint: ACME.endpointId },
});

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
  configuration({ callbackPorts = [], oauthPublicKeyFile, merchantPort, upstreamPort, circuitOpenSeconds }: Customised = {}): string {
    const path = join(this.path, 'orchestrator.json');
    const circuit = circuitOpenSeconds !== undefined && {
      circuit: { openSeconds: circuitOpenSeconds, openSecondsMax: circuitOpenSeconds },
    };
    const upstream = upstreamPort === undefined ? [] : [upstreamGate(upstreamPort)];
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
            { id: ACME.endpointId, currency: ACME.currency, gates: upstream.length === 0 ? ['sim-a'] : [UPSTREAM_GATE] },
            { id: ACME.otherEndpointId, currency: ACME.currency, gates: ['sim-b'] },
          ],
        },
      ],
      gates: [
        ...['sim-a', 'sim-b'].map((alias) => ({ alias, adapter: 'simulator', currencies: [ACME.currency], ...circuit })),
        ...upstream,
      ],
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
