import { SERVICE } from './built';
import { RunningProgram } from './running-program';

export interface ServiceOptions {
  readonly dataDir: string;
  readonly configurationPath: string;
  readonly roles: 'api' | 'worker' | 'api,worker';
  /** Of the read models, as `READ_MODEL_PARTITION` names it. */
  readonly partition?: string;
  /** The addresses of its stores, where they are not files of its data directory. */
  readonly stores?: { readonly EVENTSTORE_URL: string; readonly READ_MODEL_URL: string; readonly VAULT_URL: string };
  /** Added to each commit of the event log. */
  readonly commitDelayMs?: number;
  /** 1 makes each request a transaction of its own. */
  readonly groupJobsMax?: number;
  /** Alias of a gate that never answers. */
  readonly silentGate?: string | undefined;
  readonly readyTimeoutMs?: number;
  /** Any where it is absent. */
  readonly operatorPort?: number;
  /** `warn` where it is absent. */
  readonly logLevel?: 'warn' | 'error';
  /** Options of Node, for a profile. */
  readonly nodeOptions?: readonly string[];
}

/** The built orchestrator. */
export class RunningService extends RunningProgram {
  static async start(options: ServiceOptions): Promise<RunningService> {
    const { dataDir, configurationPath, roles, stores, commitDelayMs, groupJobsMax, silentGate, logLevel = 'warn' } = options;
    const { operatorPort = 0, nodeOptions, readyTimeoutMs, partition } = options;
    const start = { ...(nodeOptions !== undefined && { nodeOptions }), ...(readyTimeoutMs !== undefined && { readyTimeoutMs }) };
    const environment = {
      ...stores,
      DATA_DIR: dataDir,
      ORCH_CONFIG: configurationPath,
      OPERATOR_PORT: String(operatorPort),
      ROLES: roles,
      READ_MODEL_PARTITION: partition,
      LOG_LEVEL: logLevel,
      MEASURE_COMMIT_DELAY_MS: commitDelayMs?.toString(),
      MEASURE_GROUP_JOBS_MAX: groupJobsMax?.toString(),
      MEASURE_SILENT_GATE: silentGate,
    };
    return new RunningService(...(await RunningProgram.launch({ program: SERVICE, environment, ...start })));
  }
}
