import { Writable } from 'node:stream';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import type { Configuration, OrchestratorEnvironment } from '@app/configuration';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import { ServiceLog } from '@app/http/server';
import { noFailpoints, type BootId } from '@app/kernel';
import { AppModule } from '../app.module';

interface OpenedApp {
  /** Opened but not started: `init` starts it. */
  readonly app: TestingModule;
  readonly failures: () => readonly string[];
}

/** The whole service without its sockets. @param change replaces parts by fakes */
export const openApp = async (
  environment: OrchestratorEnvironment,
  configuration: Configuration<ConfiguredGate>,
  change: (building: TestingModuleBuilder) => TestingModuleBuilder = (building) => building,
): Promise<OpenedApp> => {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = new ServiceLog('info', destination);
  const module = AppModule.forRoot({
    environment,
    configuration,
    switches: { failpoints: noFailpoints, commitDelayMs: undefined, groupJobsMax: undefined, silentGate: undefined },
    log,
    bootId: 'boot' as BootId,
    onBroken: (error) => {
      throw error;
    },
  });
  const app = await change(Test.createTestingModule({ imports: [module] }).setLogger(log)).compile();
  return { app, failures: () => lines.filter((line) => line.includes('"level":50')) };
};
