import { readFileSync, writeFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { packageRoot, readEnvironment } from '@app/configuration';
import type { CheckedConfiguration } from '@app/investigation';
import { OperatorPort, operatorToken } from '../../operator-port';
import type { ServiceSettings } from '../settings';
import type { TourVisit } from './visit';

const GATES_OF_1001 = ['merchants', 0, 'endpoints', 0, 'gates'];

/** @param gates of endpoint 1001 */
const changeFile = (path: string, gates: readonly string[]): void => {
  const document = parseDocument(readFileSync(path, 'utf8'));
  document.setIn(GATES_OF_1001, document.createNode(gates, { flow: true }));
  writeFileSync(path, document.toString());
};

/** An operator moves an entry point to another gate while the service runs, and back. @throws TourFailed, CommandFailed */
export const changeConfiguration = async (visit: TourVisit, { configurationPath, environment }: ServiceSettings): Promise<void> => {
  const { report } = visit;
  const service = readEnvironment(environment, packageRoot());
  const port = new OperatorPort(service, operatorToken(environment, service));
  const apply = async (gates: readonly string[], reason: string): Promise<void> => {
    changeFile(configurationPath, gates);
    const { digest = '', changes, faults, needsRestart } = await port.read<CheckedConfiguration>('/configuration/check');
    const shown = changes.map(({ field, before, after }) => [field, `${String(before)} becomes ${String(after)}`] as const);
    report.answer('orch configuration check', shown);
    visit.claim('the file is valid, and the change needs no restart', [...faults, ...needsRestart].length === 0 && changes.length > 0);
    const applied = await port.ask<{ readonly isApplied: boolean }>('/configuration/apply', { reason, digest });
    report.answer(
      'orch configuration apply',
      Object.entries(applied).map(([name, value]) => [name, String(value)]),
    );
    visit.claim('the running service has taken it', applied.isApplied);
  };
  report.step('A change of the configuration', 'An operator moves endpoint 1001 to another gate. The service is not restarted.');
  await apply(['sim-b'], 'the acquirer of sim-a announces an outage');
  const order = await visit.place(visit.sale('moved', { endpoint: '1001', cvv2: '123' }));
  visit.claim('the next order goes to the other gate', (await visit.final(order)).get('original-gate-descriptor') === 'test-b');
  await apply(['sim-a'], 'the outage is over');
};
