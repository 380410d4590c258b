import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACME } from './acme';
import { MERCHANT_SERVER } from './built';
import { RunningProgram } from './running-program';

export interface MerchantServerOptions {
  readonly dataDir: string;
  readonly port: number;
  /** Options of Node, for a profile. */
  readonly nodeOptions?: readonly string[];
}

/** The built merchant server with the one product of the measurements. */
export class RunningMerchantServer extends RunningProgram {
  static async start({ dataDir, ...start }: MerchantServerOptions): Promise<RunningMerchantServer> {
    const configurationPath = join(dataDir, 'merchant-server.json');
    const { login, controlKey, endpointId, currency } = ACME;
    writeFileSync(configurationPath, JSON.stringify({ products: [{ login, controlKey, endpoints: [{ id: endpointId, currency }] }] }));
    const environment = { DATA_DIR: dataDir, MERCHANT_CONFIG: configurationPath, OPERATOR_PORT: '0', LOG_LEVEL: 'warn' };
    return new RunningMerchantServer(...(await RunningProgram.launch({ program: MERCHANT_SERVER, environment, ...start })));
  }
}
