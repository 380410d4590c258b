import { join } from 'node:path';
import { ROOT } from './built';
import { RunningProgram } from './running-program';

export interface ServiceOptions {
  readonly dataDir: string;
  readonly configurationPath: string;
  readonly roles: 'api' | 'worker' | 'api,worker';
  readonly partition?: string;
  readonly stores?: Readonly<Partial<Record<'EVENTSTORE_URL' | 'READ_MODEL_URL' | 'VAULT_URL', string>>>;
  readonly operatorPort?: number;
  readonly commitDelayMs?: number;
  /** 1 gives each request a separate transaction. */
  readonly groupJobsMax?: number;
  readonly silentGate?: string | undefined;
  readonly readyTimeoutMs?: number | undefined;
}

const PROGRAM = join(ROOT, 'dist/apps/orchestrator/src/main.js');

export class RunningService extends RunningProgram {
  static async start(options: ServiceOptions): Promise<RunningService> {
    const {
      dataDir,
      configurationPath,
      roles,
      stores,
      commitDelayMs,
      groupJobsMax,
      silentGate,
      readyTimeoutMs,
      partition,
      operatorPort = 0,
    } = options;
    const environment = {
      ...stores,
      DATA_DIR: dataDir,
      ORCH_CONFIG: configurationPath,
      OPERATOR_PORT: String(operatorPort),
      ROLES: roles,
      READ_MODEL_PARTITION: partition,
      LOG_LEVEL: 'warn',
      MEASURE_COMMIT_DELAY_MS: commitDelayMs?.toString(),
      MEASURE_GROUP_JOBS_MAX: groupJobsMax?.toString(),
      MEASURE_SILENT_GATE: silentGate,
    };
    return new RunningService(...(await RunningProgram.launch({ program: PROGRAM, environment, readyTimeoutMs })));
  }
}
