import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { OperatorPort, operatorToken } from './operator-port';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'orch-token-'))));
afterEach(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};

it('reads the operator token from the environment, then the file named there, then the data folder', () => {
  const own = file('operator-token', 'of-the-sandbox\n');
  const named = file('mine', 'of-mine\n');
  const environment = { operatorTokenPath: own };
  expect(operatorToken({ ORCH_OPERATOR_TOKEN: 'given', ORCH_OPERATOR_TOKEN_FILE: named }, environment)).toBe('given');
  expect(operatorToken({ ORCH_OPERATOR_TOKEN: '', ORCH_OPERATOR_TOKEN_FILE: named }, environment)).toBe('of-mine');
  expect(operatorToken({ ORCH_OPERATOR_TOKEN_FILE: '' }, environment)).toBe('of-the-sandbox');
});

it('names the settings if no operator token is found and does not quote a malformed token', () => {
  const environment = { operatorTokenPath: join(folder, 'operator-token') };
  expect(() => operatorToken({}, environment)).toThrow(/ORCH_OPERATOR_TOKEN.*ORCH_OPERATOR_TOKEN_FILE/);
  expect(() => operatorToken({ ORCH_OPERATOR_TOKEN: 'two words' }, environment)).toThrow('ORCH_OPERATOR_TOKEN is not a token');
  expect(() => operatorToken({ ORCH_OPERATOR_TOKEN: 'two words' }, environment)).not.toThrow('two words');
  expect(() => operatorToken({ ORCH_OPERATOR_TOKEN_FILE: join(folder, 'none') }, environment)).toThrow('cannot be read (ENOENT)');
});

describe('OperatorPort', () => {
  it('reports an unknown outcome if the service accepts the request but does not answer', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port: operatorPort } = server.address() as AddressInfo;
    const sockets = new Set<{ destroy(): void }>();
    server.on('connection', (socket) => sockets.add(socket));
    const port = new OperatorPort({ operatorHost: '127.0.0.1', operatorPort }, 'token');
    await expect(port.ask('/orders/x/resolution', {}, 50)).rejects.toThrow('the outcome is unknown');
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
    await expect(port.ask('/orders/x/resolution', {})).rejects.toThrow('no service answers');
  });
});
