import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { egressPolicyOf } from '@app/http/client';
import { ipRange } from '@app/configuration';
import { systemMonotonic, systemScheduler } from '@app/kernel';
import { ORDERS_WORKED_PER_LANE_MAX, SUBMITS_PER_LANE_MAX, UNDER_WAY_PER_MERCHANT_MAX } from '@app/orders';
import { merchantServerEgress } from './server-call';

it('admits the maximum number of concurrent calls that the orders of one merchant can make', async () => {
  const held: ServerResponse[] = [];
  const calls = SUBMITS_PER_LANE_MAX + ORDERS_WORKED_PER_LANE_MAX + UNDER_WAY_PER_MERCHANT_MAX;
  // Answers only after all calls have arrived, so that they are concurrent.
  const server = createServer((_request, response) => {
    held.push(response);
    if (held.length === calls) for (const one of held) one.end('heard');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const policy = egressPolicyOf({ allow: [ipRange('127.0.0.1')], ports: new Set(), plainHttp: false }, false);
  const egress = merchantServerEgress({ policy, monotonic: systemMonotonic, scheduler: systemScheduler });
  const call = { method: 'POST', url: `http://127.0.0.1:${port}/`, source: 'configuration', headers: {}, body: '{}' } as const;
  const outcomes = await Promise.all(Array.from({ length: calls }, () => egress.send(call)));
  expect(outcomes.filter(({ kind }) => kind !== 'answered')).toEqual([]);
  await egress.close();
  await new Promise((resolve) => server.close(resolve));
});
