import { merchantServerUnderTest } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

it('counts requests by operation and outcome and exposes the metrics only on the operator port', async () => {
  await client.requestToken('?email=john@example.com');
  await client.requestToken('?email=');
  await client.below('other').requestToken();
  await client.below('nobody').requestToken();
  const operators = await server.serveOperators();
  const { status, headers, body } = await operators.request('/metrics');
  expect([status, headers['content-type']]).toStrictEqual([200, expect.stringContaining('text/plain; version=0.0.4')]);
  const printed = body.split('\n').filter((line) => line.startsWith('merchant_server_requests_total'));
  expect(printed).toContain('merchant_server_requests_total{operation="callback",outcome="SERVER_FAILED"} 0');
  expect(printed.filter((line) => !line.endsWith(' 0'))).toStrictEqual([
    'merchant_server_requests_total{operation="request-access-token",outcome="answered"} 1',
    'merchant_server_requests_total{operation="request-access-token",outcome="INVALID_REQUEST"} 1',
    'merchant_server_requests_total{operation="request-access-token",outcome="forbidden"} 1',
  ]);
  expect(body).toContain('merchant_server_request_seconds_count{operation="request-access-token"} 3');
  expect((await client.send('/metrics')).status).toBe(404);
});

it('serves health on the operator port and returns 404 there for merchant requests', async () => {
  const operators = await server.serveOperators();
  const { status, headers, body } = await operators.request('/health/ready');
  expect([status, headers['content-type'], body]).toStrictEqual([200, 'application/json;charset=utf-8', '{"status":"ready"}\n']);
  expect((await operators.request('/auth/request-access-token?email=a@b.example')).status).toBe(404);
});
