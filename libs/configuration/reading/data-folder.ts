import { mkdirSync, statSync } from 'node:fs';
import { privateFolderProblem } from '@app/kernel';
import { ConfigurationFault, type Fault } from './fault';

const PRIVATE = 0o700;

/**
 * Creates DATA_DIR where it is missing, for its owner alone. An existing one that others may use is refused in production.
 * @returns the warnings outside production
 * @throws ConfigurationFault where it is refused, or cannot be created
 */
export const prepareDataFolder = ({
  dataDir,
  isProduction,
}: {
  readonly dataDir: string;
  readonly isProduction: boolean;
}): readonly Fault[] => {
  const faultOf = (problem: string): Fault => ({ path: 'DATA_DIR', problem });
  let mode: number;
  try {
    mkdirSync(dataDir, { recursive: true, mode: PRIVATE });
    ({ mode } = statSync(dataDir));
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ConfigurationFault('environment', [faultOf(`${dataDir} cannot be made (${code})`)]);
  }
  const problem = process.platform === 'win32' ? undefined : privateFolderProblem(mode);
  if (problem === undefined) return [];
  const fault = faultOf(`${dataDir}: ${problem}`);
  if (isProduction) throw new ConfigurationFault('environment', [fault]);
  return [fault];
};
