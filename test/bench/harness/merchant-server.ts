import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACME } from './acme';
import { ROOT } from './built';
import { RunningProgram } from './running-program';

const PROGRAM = join(ROOT, 'dist/apps/merchant-server/src/main.js');

export class RunningMerchantServer extends RunningProgram {
  static async start(dataDir: string, port: number): Promise<RunningMerchantServer> {
    const configurationPath = join(dataDir, 'merchant-server.json');
    const { login, controlKey, endpointId, currency } = ACME;
    writeFileSync(configurationPath, JSON.stringify({ products: [{ login, controlKey, endpoints: [{ id: endpointId, currency }] }] }));
    const environment = { DATA_DIR: dataDir, MERCHANT_CONFIG: configurationPath, OPERATOR_PORT: '0', LOG_LEVEL: 'warn' };
    return new RunningMerchantServer(...(await RunningProgram.launch({ program: PROGRAM, environment, port })));
  }
}
